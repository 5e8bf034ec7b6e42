import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf } from './domain-error.ts';
import { momentField, wholeNumberParameter } from './fields.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  count: z.int().min(1).max(100).optional(),
  flag: z.boolean().optional(),
  kind: z.enum(['a', 'b']).optional(),
  burnAuth: z.literal('holder').optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  at: momentField.optional(),
  limit: wholeNumberParameter(1, 100, { description: 'Items', example: 1 }),
  inner: z.strictObject({ deep: z.string() }).optional(),
});

const issuesIn = (input: unknown) =>
  issuesOf(schema.required({ inner: true }).safeParse(input).error ?? new z.ZodError([]));
const inner = { deep: 'x' };

describe('what is wrong with a value', () => {
  it.each([
    ['name', '', 'too_short', 'must not be empty'],
    ['name', 'abcdef', 'too_long', 'must be at most 5 characters'],
    ['name', 7, 'wrong_type', 'must be a string'],
    ['name', null, 'wrong_type', 'must be a string'],
    ['count', 0, 'too_small', 'must be at least 1'],
    ['count', 101, 'too_big', 'must be at most 100'],
    ['count', 1.5, 'wrong_type', 'must be a whole number'],
    ['count', '1', 'wrong_type', 'must be a whole number'],
    ['flag', 'true', 'wrong_type', 'must be true or false'],
    ['kind', 'c', 'not_allowed', 'must be one of a, b'],
    ['burnAuth', 'c', 'not_allowed', 'must be holder'],
    ['list', [], 'too_short', 'must have at least 1 item'],
    ['list', ['a', 'b', 'c'], 'too_long', 'must have at most 2 items'],
    ['list', {}, 'wrong_type', 'must be a list'],
    ['at', 'today', 'invalid_format', 'must be an ISO 8601 date and time with a time zone'],
    ['limit', '1000', 'too_big', 'must be a whole number from 1 to 100'],
    ['limit', '1e1', 'invalid_format', 'must be a whole number from 1 to 100'],
    ['inner', [], 'wrong_type', 'must be an object'],
    ['inner', undefined, 'required', 'is required'],
    ['inner.deep', undefined, 'required', 'is required'],
  ] as const)('is said in words: %s %j', (path, value, code, message) => {
    const input = path === 'inner.deep' ? { inner: {} } : { inner, [path]: value };
    expect(issuesIn(input)).toEqual([{ path, code, message }]);
  });

  it('is said for the whole input too', () => {
    expect(issuesIn(undefined)).toEqual([{ path: '', code: 'required', message: 'is required' }]);
    expect(issuesIn('text')).toEqual([{ path: '', code: 'wrong_type', message: 'must be an object' }]);
  });
});

describe('an unknown field', () => {
  it('is named, with the nearest that is known, one issue each', () => {
    expect(issuesIn({ inner: { deep: 'x', depe: 1 }, burnauth: 'holder', color: 'red', burn_auth: 1 })).toEqual([
      { path: 'inner.depe', code: 'unknown_field', message: 'Unknown field depe; did you mean deep?' },
      { path: 'burnauth', code: 'unknown_field', message: 'Unknown field burnauth; did you mean burnAuth?' },
      { path: 'color', code: 'unknown_field', message: 'Unknown field color' },
      { path: 'burn_auth', code: 'unknown_field', message: 'Unknown field burn_auth; did you mean burnAuth?' },
    ]);
  });

  it('of any length is named briefly', () => {
    const [issue] = issuesIn({ inner, ['n'.repeat(10_000)]: 1 });
    expect(issue).toEqual({ path: 'n'.repeat(64), code: 'unknown_field', message: `Unknown field ${'n'.repeat(64)}` });
  });

  it('may be __proto__', () => {
    expect(issuesIn(JSON.parse('{"inner":{"deep":"x"},"__proto__":1}'))).toMatchObject([{ path: '__proto__' }]);
  });
});
