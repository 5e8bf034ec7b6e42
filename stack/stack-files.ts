import { join } from 'node:path';
import { z } from 'zod';
import { readFileIfAny } from './private-file.ts';
import { processCommand } from './process-command.ts';

/** By chain id. */
const rpcUrlsSchema = z.record(z.string(), z.string());

/** What stack.json says: where a running stack is, and the keys to use it with. */
// fallow-ignore-next-line unused-export -- Others read this file: tests check what is written against this schema.
export const stackInfoSchema = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  adminSecret: z.string(),
  /** Of the account `demo`. */
  corporateId: z.string(),
  walletAddress: z.string(),
  rpcUrls: rpcUrlsSchema,
  databaseUrl: z.string(),
  pid: z.number(),
});
export type StackInfo = z.output<typeof stackInfoSchema>;

/** For the operator's commands: the Worker's settings, by name, and where the chains are. */
const stackSettingsSchema = z.object({
  pid: z.number(),
  /** Of that process: its id alone may be another program's by now. Files of earlier versions have none. */
  command: z.string().catch(''),
  rpcUrls: rpcUrlsSchema,
  worker: z.record(z.string(), z.string()),
});
export type StackSettings = z.output<typeof stackSettingsSchema>;

export const stackInfoFile = (dataDir: string): string => join(dataDir, 'stack.json');
export const stackSettingsFile = (dataDir: string): string => join(dataDir, 'settings.json');

/** The settings of the stack that runs on a data directory, or undefined when none runs there. */
export function runningStackSettings(dataDir: string): StackSettings | undefined {
  const content = readFileIfAny(stackSettingsFile(dataDir));
  if (content === undefined) return undefined;
  const settings = stackSettingsSchema.parse(JSON.parse(content));
  // A stack that was killed could not remove its file.
  return processCommand(settings.pid) === settings.command ? settings : undefined;
}
