import { z } from 'zod';

const signal = z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT']);

/** What a process to be kept is started with. */
const keptCommandSchema = z.object({
  /** What the user calls it, for messages. */
  name: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string().optional(),
  /** The whole environment; the keeper's own is used when it is absent. */
  env: z.record(z.string(), z.string()).optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** Where the output is appended; when absent it is sent line by line to the process that asked. */
  logFile: z.string().optional(),
  /** The signals that end it, the gentlest first; SIGKILL to its whole group follows the last. */
  stopSignals: z.tuple([signal], signal),
  /** How long each of these signals is given, in milliseconds. */
  graceMs: z.number(),
});
export type KeptCommand = z.output<typeof keptCommandSchema>;

/** What the keeper is asked to do. `id` is chosen by the asker and names the process from then on. */
export const keeperRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), id: z.number(), command: keptCommandSchema }),
  z.object({ type: z.literal('stop'), id: z.number() }),
  z.object({ type: z.literal('remove-at-end'), file: z.string(), remove: z.boolean() }),
]);
export type KeeperRequest = z.output<typeof keeperRequestSchema>;

/** What the keeper reports. `failed` says that the program could not be started at all; then no `exited` follows. */
export const keeperReportSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), id: z.number(), pid: z.number() }),
  z.object({ type: z.literal('failed'), id: z.number(), message: z.string() }),
  z.object({ type: z.literal('line'), id: z.number(), text: z.string() }),
  z.object({ type: z.literal('exited'), id: z.number(), code: z.number().nullable(), signal: z.string().nullable() }),
]);
export type KeeperReport = z.output<typeof keeperReportSchema>;
