import { join } from 'node:path';
import { z } from 'zod';
import { readFileIfExists } from './private-file.ts';
import { processCommand } from './process-command.ts';

/** By chain id. */
const rpcUrlsSchema = z.record(z.string(), z.string());

/** The contents of stack.json: the addresses and keys of a running stack. */
// fallow-ignore-next-line unused-export -- Users read the file; tests check its contents against this schema.
export const stackInfoSchema = z.object({
  baseUrl: z.string(),
  apiKey: z.string(),
  adminSecret: z.string(),
  /** Id of the account `demo`. */
  corporateId: z.string(),
  walletAddress: z.string(),
  rpcUrls: rpcUrlsSchema,
  databaseUrl: z.string(),
  pid: z.number(),
});
export type StackInfo = z.output<typeof stackInfoSchema>;

/** The contents of settings.json, for the operator's commands: the Worker's settings by name, and the chains. */
const stackSettingsSchema = z.object({
  pid: z.number(),
  /** The process's command line, because its id may have been reused. */
  command: z.string(),
  rpcUrls: rpcUrlsSchema,
  worker: z.record(z.string(), z.string()),
});
export type StackSettings = z.output<typeof stackSettingsSchema>;

export const stackInfoFile = (dataDir: string): string => join(dataDir, 'stack.json');
export const stackSettingsFile = (dataDir: string): string => join(dataDir, 'settings.json');

/** The settings of the stack that runs on a data directory; undefined if none does. */
export function runningStackSettings(dataDir: string): StackSettings | undefined {
  const content = readFileIfExists(stackSettingsFile(dataDir));
  if (content === undefined) return undefined;
  const settings = stackSettingsSchema.parse(JSON.parse(content));
  // A stack that was killed cannot delete its file.
  return processCommand(settings.pid) === settings.command ? settings : undefined;
}
