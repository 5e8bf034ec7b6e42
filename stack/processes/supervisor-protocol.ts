import { z } from 'zod';

const signal = z.enum(['SIGINT', 'SIGTERM', 'SIGQUIT']);

/** How a supervised process is started and stopped. */
const supervisedCommandSchema = z.object({
  /** Its name in messages to the user. */
  name: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string().optional(),
  /** The whole environment; default: that of the supervisor. */
  env: z.record(z.string(), z.string()).optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** The file that the output is appended to; without one, each line is sent to the client. */
  logFile: z.string().optional(),
  /** What is posted to it, as JSON, before the first signal. Replies do not matter. */
  beforeStop: z.array(z.object({ url: z.string(), body: z.string() })).optional(),
  /** The signals that stop it, in order. SIGKILL to its process group follows the last one. */
  stopSignals: z.tuple([signal], signal),
  /** How long to wait after each of these signals, in milliseconds. */
  graceMs: z.number(),
});
export type SupervisedCommand = z.output<typeof supervisedCommandSchema>;

/** A request to the supervisor. The client chooses `id`, which identifies the process from then on. */
export const supervisorRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), id: z.number(), command: supervisedCommandSchema }),
  z.object({ type: z.literal('stop'), id: z.number() }),
  z.object({ type: z.literal('remove-on-exit'), file: z.string(), remove: z.boolean() }),
]);
export type SupervisorRequest = z.output<typeof supervisorRequestSchema>;

/** An event of a supervised process. `failed`: the program could not be started; no `exited` follows. */
export const supervisorEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), id: z.number(), pid: z.number() }),
  z.object({ type: z.literal('failed'), id: z.number(), message: z.string() }),
  z.object({ type: z.literal('line'), id: z.number(), text: z.string() }),
  z.object({ type: z.literal('exited'), id: z.number(), code: z.number().nullable(), signal: z.string().nullable() }),
]);
export type SupervisorEvent = z.output<typeof supervisorEventSchema>;
