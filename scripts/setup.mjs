// Installs the locked dependencies and builds the pages, if they are missing or out of date. It is plain JavaScript
// with Node's own modules, since it runs on a fresh clone before anything is installed. It writes to stderr only:
// stdout belongs to the command that follows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = `${root}package-lock.json`;
const npmRecord = `${root}node_modules/.package-lock.json`;
const installedLock = `${root}node_modules/.installed-lock.json`;

/** How often it says how far the installation is. */
const REPORT_MS = 5_000;

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`Node.js 20 or newer is required; this is ${process.versions.node}.`);
  process.exit(1);
}

const versionOf = (entry) => JSON.stringify([entry.version, entry.resolved, entry.integrity]);

/** Whether npm's own record of what any command installed matches the lock file. */
function isInstalledByNpm() {
  if (!existsSync(npmRecord)) return false;
  const [wanted, installed] = [lock, npmRecord].map((file) => JSON.parse(readFileSync(file, 'utf8')).packages);
  // The empty path is the project itself; optional packages are for some systems only.
  const isThere = ([path, entry]) =>
    path === '' || (path in installed ? versionOf(installed[path]) === versionOf(entry) : entry.optional === true);
  return Object.entries(wanted).every(isThere) && Object.keys(installed).every((path) => path in wanted);
}

const upToDate = existsSync(installedLock) && readFileSync(installedLock).equals(readFileSync(lock));
if (!upToDate && !isInstalledByNpm()) {
  console.error('Installing the locked dependencies (once; one to three minutes) ...');
  if ((await install()) !== 0) {
    console.error('npm ci failed; see the message above.');
    process.exit(1);
  }
  copyFileSync(lock, installedLock);
}

/** Runs `npm ci`, and says how far it is. @returns its exit code. */
async function install() {
  const started = Date.now();
  const wanted = Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages).flatMap(([path, entry]) =>
    // Optional ones are for some systems only.
    path === '' || entry.optional === true ? [] : [`${root}${path}/package.json`],
  );
  const report = () => {
    const there = wanted.filter((file) => existsSync(file)).length;
    const seconds = Math.round((Date.now() - started) / 1_000);
    console.error(`  ${there} of ${wanted.length} packages after ${seconds} s`);
  };
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const timer = setInterval(report, REPORT_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  return code;
}

const { buildPages } = await import('./build-pages.mjs');
await buildPages();
