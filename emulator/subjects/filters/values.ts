import type { FieldComparator } from "../../../contracts/spec/filter-language.ts";
import type { Operand, Scalar } from "./filter.ts";
import { likeTest } from "./like.ts";

/** Judges a value of a row; null stands for none. */
export type ValueTest = (value: Scalar | null) => boolean;

/**
 * A test for values of the same type as the operand. What is no value equals nothing and has no place in
 * an order; neq and notlike are the exact opposites of eq and like, so it passes them.
 */
export function sameTypeTest(op: FieldComparator, operand: Operand): ValueTest {
  return valueTest(op, operand, (value) => value);
}

/**
 * A test for values of entries, whose types the clients choose: two of them are equal when they read the
 * same as text, and only numbers have an order among numbers, texts among texts.
 */
export function anyTypeTest(op: FieldComparator, operand: Operand): ValueTest {
  return valueTest(op, operand, String);
}

/** `form` gives what two equal values have in common. */
function valueTest(op: FieldComparator, operand: Operand, form: (value: Scalar) => Scalar): ValueTest {
  const one = operand as Scalar;
  switch (op) {
    case "eq": {
      const wanted = form(one);
      return (value) => value !== null && form(value) === wanted;
    }
    case "neq": {
      const unwanted = form(one);
      return (value) => value === null || form(value) !== unwanted;
    }
    case "in": {
      const wanted = new Set((operand as readonly Scalar[]).map(form));
      return (value) => value !== null && wanted.has(form(value));
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
      throw new Error(`${op} compares no values.`);
  }
}

function patternTest(pattern: Scalar): ValueTest {
  const fits = likeTest(String(pattern));
  return (value) => value !== null && fits(String(value));
}

/** Texts are put in the order of their UTF-16 units, which is the same in every locale. */
function isOrdered(value: Scalar | null, operand: Scalar): value is Scalar {
  return typeof value === typeof operand;
}
