// s3rver with a bucket: it checks no signatures.
import S3rver from "s3rver";

const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory: process.argv[2],
  configureBuckets: [{ name: "traces", configs: [] }],
});
const { port } = await server.run();
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
