import { z } from 'zod';
import { isIssueCode, type IssueCode } from './error-codes.ts';
import { nearestName } from './nearest-name.ts';

const IS_REQUIRED = 'is required';

/** The types of values, in words. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

/** The forms of texts whose schema has no message of its own. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 date and time with a time zone',
};

/**
 * The names that an object with unknown keys has, by the list of these keys: zod gives it to the issue as it is, but
 * not the schema.
 */
const knownNames = new WeakMap<readonly string[], readonly string[]>();

/**
 * What is wrong with a value, in words that continue its name. Schemas have a message of their own only where the rule
 * is their own.
 */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? IS_REQUIRED : `must be ${typeIn(issue)}`;
    case 'invalid_value':
      if (issue.input === undefined) return IS_REQUIRED;
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? IS_REQUIRED : 'does not match any of the allowed forms';
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return boundIn(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return boundIn(issue.origin, 'most', issue.maximum);
    case 'invalid_format':
      return FORMATS[issue.format];
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message;
    case 'unrecognized_keys':
      knownNames.set(issue.keys, namesIn(issue));
      return 'is not known';
    case 'custom':
      break;
  }
  return undefined;
}

function typeIn({ expected, inst }: z.core.$ZodRawIssue & { readonly code: 'invalid_type' }): string {
  // A string where a whole number is expected is, to zod, not yet a number.
  const isInteger = inst instanceof z.ZodNumber && inst.isInt;
  return TYPES[isInteger ? 'int' : expected] ?? expected;
}

function boundIn(origin: string, side: 'least' | 'most', bound: number | bigint): string {
  if (origin === 'string') return `must be at ${side} ${bound} characters`;
  if (origin === 'array') return `must have at ${side} ${bound} ${bound === 1 ? 'item' : 'items'}`;
  return `must be at ${side} ${bound}`;
}

function namesIn({ inst }: z.core.$ZodRawIssue): string[] {
  return inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
}

z.config({ customError: messageOf });

/**
 * A zod issue as the issues of an input: one for each unknown key.
 * @param noun What the keys are: fields, for example.
 */
export function* described(
  issue: z.core.$ZodIssue,
  noun: string,
): Generator<{ readonly path: string; readonly message: string; readonly code: IssueCode }> {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') {
    yield { path, message: issue.message, code: codeOf(issue) };
    return;
  }
  const names = knownNames.get(issue.keys) ?? [];
  for (const key of issue.keys) {
    const unknown = unknownName(key, names, noun);
    yield path === '' ? unknown : { ...unknown, path: `${path}.${unknown.path}` };
  }
}

/**
 * The issue of a name that an input does not have, with the known one that was probably meant.
 * @param noun What the name is.
 */
export function unknownName(name: string, known: readonly string[], noun: string) {
  // A name can be as long as the body.
  const path = name.slice(0, MAX_SHOWN);
  const near = nearestName(name, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const message = path === '' ? `A ${noun} has no name` : `Unknown ${noun} ${path}${hint}`;
  return { path, message, code: 'unknown_field' as const };
}

/** How many characters of an unknown name are shown. */
const MAX_SHOWN = 64;

function codeOf(issue: z.core.$ZodIssue): IssueCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message === IS_REQUIRED ? 'required' : 'wrong_type';
    case 'invalid_value':
    case 'invalid_union':
      return issue.message === IS_REQUIRED ? 'required' : 'not_allowed';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'too_short' : 'too_small';
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'too_long' : 'too_big';
    case 'invalid_format':
      return 'invalid_format';
    case 'unrecognized_keys':
      return 'unknown_field';
    case 'custom':
      return isIssueCode(issue.params?.['code']) ? issue.params['code'] : 'invalid_value';
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
      break;
  }
  return 'invalid_value';
}

/** The parameters of a rule of a schema's own, which zod has not: the message, and the code of its issue. */
export function broken(code: IssueCode, message: string) {
  return { message, params: { code } };
}
