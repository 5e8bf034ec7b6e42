import { NeonDbError } from '@neondatabase/serverless';
import { describe, expect, it } from 'vitest';
import { isReplyLost, isUnavailable } from './errors.ts';

const failed = (code?: string) =>
  new Error('Failed query', { cause: Object.assign(new NeonDbError('failed'), { code }) });

describe('the reply to a statement', () => {
  it.each([undefined, '', '57P01', '57P02', '08006', '40003'])(
    'was lost with the code %j: it may have been executed',
    (code) => {
      expect(isReplyLost(failed(code))).toBe(true);
    },
  );

  it.each(['23505', '40P01', '57014', 'NF001'])('was not lost with the code %s: the database refused it', (code) => {
    expect(isReplyLost(failed(code))).toBe(false);
  });

  it('was not lost when another part failed', () => {
    expect(isReplyLost(new Error('failed'))).toBe(false);
  });
});

describe('the database', () => {
  it.each([undefined, '57P03', '53300'])('is unavailable with the code %j', (code) => {
    expect(isUnavailable(failed(code))).toBe(true);
  });

  it.each(['23505', 'NF001'])('is available with the code %s', (code) => {
    expect(isUnavailable(failed(code))).toBe(false);
  });
});
