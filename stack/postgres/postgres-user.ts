import { spawnSync } from 'node:child_process';
import type { SupervisedCommand } from '../processes/supervisor-protocol.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';

type Program = Pick<SupervisedCommand, 'command' | 'args' | 'uid' | 'gid'>;

/** The system user that runs PostgreSQL. */
export interface PostgresUser {
  /** The owner of the data; undefined if it is the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** How to start a program as that user. */
  program(command: string, args: string[]): Program;
}

function numericId(flag: '-u' | '-g', user: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/** Whether the user can enter the directory and run PostgreSQL's binaries in this way. */
function canRun({ command, args, uid, gid }: Program): boolean {
  const identity = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
  return spawnSync(command, args, { ...identity, cwd: '/', stdio: 'ignore' }).status === 0;
}

/**
 * Chooses the user that runs PostgreSQL, which refuses to run as root: in that case `postgres` if that user exists,
 * otherwise `nobody`. If the user may not enter the project's directory (a checkout below /root, or in a directory made
 * by `mktemp -d`), the programs get the one capability that allows it.
 * @param directory Where the data will be; must exist.
 * @throws when neither user can run PostgreSQL, with the reason.
 */
export function postgresUser(binaries: PostgresBinaries, directory: string): PostgresUser {
  if (process.getuid?.() !== 0) return { owner: undefined, program: (command, args) => ({ command, args }) };
  for (const name of ['postgres', 'nobody']) {
    const uid = numericId('-u', name);
    const gid = numericId('-g', name);
    if (uid === undefined || gid === undefined) continue;
    const probe = [
      '-c',
      'cd "$1" && "$2" --version && "$3" --version',
      'sh',
      directory,
      binaries.initdb,
      binaries.postgres,
    ];

    const plain = (command: string, args: string[]) => ({ command, args, uid, gid });
    if (canRun(plain('/bin/sh', probe))) return { owner: { uid, gid }, program: plain };

    const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const capability = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
    const capable = (command: string, args: string[]) => ({
      command: 'setpriv',
      args: [...identity, ...capability, '--', command, ...args],
    });
    if (canRun(capable('/bin/sh', probe))) return { owner: { uid, gid }, program: capable };
  }
  throw new Error(
    `PostgreSQL does not run as root, and neither the user postgres nor the user nobody can enter ${directory} and run ${binaries.postgres}. Run this as an ordinary user, or move the project to a directory that other users can enter.`,
  );
}
