import fc from "fast-check";

const wordIn = (text: string) => fc.constantFrom(...text.trim().split(/\s+/));

const segment = wordIn(`
  traces new-bucket a .. %2e%2e %2F a%20b ~!'()* %F0%9D%84%9E
`);
const mark = wordIn(`
  list-type prefix delimiter max-keys marker continuation-token encoding-type location uploads uploadId
  partNumber delete versioning acl key-marker max-parts versionId response-expires x-id max-uploads
  part-number-marker tagging __proto__ toString attributes versions encryption lifecycle policy analytics
  id max-buckets x-amz-acl
`);
const value = fc.constantFrom(
  "",
  "1",
  "0",
  "-1",
  "2",
  "/",
  "url",
  "é",
  "\r\n",
  "null",
  "1e9",
  "__proto__",
  "[]",
);
const header = wordIn(`
  range if-match if-none-match if-modified-since x-amz-copy-source content-md5 x-amz-object-attributes
  x-amz-max-parts x-amz-expected-bucket-owner x-amz-if-match-size x-amz-copy-source-range
  x-amz-metadata-directive x-amz-checksum-crc32 x-amz-checksum-algorithm x-amz-checksum-type
  x-amz-meta-__proto__ x-amz-trailer x-amz-checksum-mode content-encoding
`);
const headerValue = wordIn(`
  * bytes=0-1 traces/a /traces/%zz AAAA CRC32 COPY x 1,2 ETag,ObjectParts,Checksum
`);
const body = fc.constantFrom(
  "",
  "text",
  "<Delete><Object><Key>a</Key></Object></Delete>",
  "<Delete><Object/></Delete>",
  "<Delete><Object><Key>a</Key><ETag>*</ETag><Size>x</Size></Object></Delete>",
  "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>",
  "<CompleteMultipartUpload>x</CompleteMultipartUpload>",
  "<!DOCTYPE a [<!ENTITY b 'c'>]><Delete>&b;</Delete>",
  "<CreateBucketConfiguration><LocationConstraint>x</LocationConstraint></CreateBucketConfiguration>",
  "<__proto__/>",
);

/** Requests to the object store with parameters, headers and bodies that no client would send together. */
export const anyRequest = fc.record({
  method: fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"),
  path: fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join("/")}`),
  query: fc.dictionary(mark, value, { maxKeys: 3 }),
  headers: fc.dictionary(header, headerValue, { maxKeys: 3 }),
  body,
});
