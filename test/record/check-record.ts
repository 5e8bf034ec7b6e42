import { findSecrets } from './find-secrets.ts';
import { OUTPUT_OF_RUN, readRecord } from './run-record.ts';

/**
 * Searches the record of a run for the secrets in it.
 * @param allowsErrors Whether a Worker may have logged errors that no test expects.
 * @returns how much there was to search.
 * @throws with each place that has a secret, and never the secret; also if replies were recorded, but no log of a
 *   Worker, and if a Worker logged an error that no test expects.
 */
export function checkRecord(directory: string, allowsErrors = false): string {
  const { secrets, logs, replies, errors } = readRecord(directory);
  const count = new Set(secrets.map(({ secret }) => secret)).size;
  const searched = `${count} secrets, ${logs.length} logs and ${replies.length} replies`;
  if (replies.length > 0 && logs.every(({ place }) => place === OUTPUT_OF_RUN)) {
    throw new Error(`Of ${searched} of this run, no log of a Worker was recorded.`);
  }
  const found = findSecrets(secrets, [...logs, ...replies]);
  if (found.length > 0) {
    const places = found.map(({ what, form, place, line }) => `${what} (${form}) in ${place}, line ${line}`);
    throw new Error(`Of ${searched} of this run, these have a secret:\n${places.join('\n')}`);
  }
  if (errors.length > 0 && !allowsErrors)
    throw new Error(`The service logged errors that no test expects:\n${errors.join('\n')}`);
  return searched;
}
