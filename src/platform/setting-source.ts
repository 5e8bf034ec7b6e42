import type { z } from 'zod';
import { settingText } from '../core/setting-text.ts';

/** Settings by name. A value that is not text is malformed. */
export type Source = Readonly<Record<string, unknown>>;

/** What settings were parsed into, with a message for each setting that is invalid. */
export interface Parsed<Value> {
  readonly value: Value;
  readonly issues: readonly string[];
}

/** The settings are unusable. Each issue names its setting and never quotes a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`Settings: ${issues.join('; ')}`);
    this.issues = issues;
  }
}

/** The settings in a Worker's environment; what is empty is not set. */
export function sourceOf(env: object): Source {
  return Object.fromEntries(
    Object.entries(env)
      .map(([name, value]): [string, unknown] => [name, settingText(value) ?? value])
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

/** @returns an issue for each setting that a schema refuses. */
export function settingIssues(source: Source, error: z.ZodError | undefined): string[] {
  return (error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    return name in source ? `${name} ${settingMessage(issue)}` : `${name} is missing`;
  });
}

export function settingMessage(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' ? 'must be text' : issue.message;
}

/**
 * @param issues Of these settings and of others.
 * @throws {SettingsError} if there are any.
 */
export function requireValid<Value>(parsed: z.ZodSafeParseResult<Value>, issues: readonly string[]): Value {
  if (issues.length > 0 || !parsed.success) throw new SettingsError([...new Set(issues)]);
  return parsed.data;
}
