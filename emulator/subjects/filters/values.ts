import type { FieldComparator } from "../../../contracts/spec/filter-language.ts";
import type { Operand, Scalar } from "./filter.ts";
import { likeTest } from "./like.ts";

/** A predicate on a value of a row; null means absent. */
export type ValueTest = (value: Scalar | null) => boolean;

/**
 * A test for values of the operand's type. Null equals nothing and is not ordered; neq and notlike are the
 * exact negations of eq and like, so null passes them.
 */
export function sameTypeTest(op: FieldComparator, operand: Operand): ValueTest {
  return valueTest(op, operand, (value) => value);
}

/**
 * A test for values of entries, whose types clients choose: values are equal when their text forms are, and
 * only values of the same type are ordered.
 */
export function anyTypeTest(op: FieldComparator, operand: Operand): ValueTest {
  return valueTest(op, operand, String);
}

/** `form` maps values to the form in which they are compared for equality. */
function valueTest(op: FieldComparator, operand: Operand, form: (value: Scalar) => Scalar): ValueTest {
  const one = operand as Scalar;
  switch (op) {
    case "eq": {
      const expectedValue = form(one);
      return (value) => value !== null && form(value) === expectedValue;
    }
    case "neq": {
      const unwanted = form(one);
      return (value) => value === null || form(value) !== unwanted;
    }
    case "in": {
      const expectedValues = new Set((operand as readonly Scalar[]).map(form));
      return (value) => value !== null && expectedValues.has(form(value));
    }
    case "like":
      return patternTest(one);
    case "notlike": {
      const fits = patternTest(one);
      return (value) => !fits(value);
    }
    case "gt":
      return (value) => isOrdered(value, one) && value > one;
    case "gte":
      return (value) => isOrdered(value, one) && value >= one;
    case "lt":
      return (value) => isOrdered(value, one) && value < one;
    case "lte":
      return (value) => isOrdered(value, one) && value <= one;
    default:
      throw new Error(`${op} is not a comparison of values.`);
  }
}

function patternTest(pattern: Scalar): ValueTest {
  const fits = likeTest(String(pattern));
  return (value) => value !== null && fits(String(value));
}

/** Texts are ordered by UTF-16 code units, independent of the locale. */
function isOrdered(value: Scalar | null, operand: Scalar): value is Scalar {
  return typeof value === typeof operand;
}
