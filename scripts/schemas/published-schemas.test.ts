import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishSchemas, schemaProblems } from './published-schemas.ts';

let directory: string;
const fileOf = (name: string) => path.join(directory, name);
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'nft-schemas-'));
  writeFileSync(fileOf('a@1.0.0.json'), '{}');
  writeFileSync(fileOf('b@1.0.0.json'), '{"type":"object"}');
  publishSchemas(directory);
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the published schemas', () => {
  it('are valid as published', () => {
    expect(schemaProblems(directory)).toEqual([]);
    expect(Object.keys(JSON.parse(readFileSync(fileOf('published.json'), 'utf8')))).toEqual([
      'a@1.0.0.json',
      'b@1.0.0.json',
    ]);
  });

  it('must not be edited, not even in white space, nor deleted', () => {
    appendFileSync(fileOf('a@1.0.0.json'), '\n');
    rmSync(fileOf('b@1.0.0.json'));
    const problems = [
      'a@1.0.0.json is published and must not be edited: restore it, and add a new version beside it',
      'b@1.0.0.json is published and must not be deleted: restore it',
    ];
    expect(schemaProblems(directory)).toEqual(problems);
    expect(publishSchemas(directory)).toEqual([]);
    expect(schemaProblems(directory)).toEqual(problems);
  });

  it('include a new version only once it is published', () => {
    writeFileSync(fileOf('a@1.1.0.json'), '{}');
    expect(schemaProblems(directory)).toEqual([
      'a@1.1.0.json is not published yet: run npm run schemas:check -- --publish',
    ]);
    expect(publishSchemas(directory)).toEqual(['a@1.1.0.json']);
    expect(schemaProblems(directory)).toEqual([]);
  });
});
