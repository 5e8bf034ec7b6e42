// npm run corporate: creates or updates a corporate account, in the local stack or in the database of the environment.
import { runCorporate } from './accounts/run-corporate.ts';

process.exitCode = await runCorporate(process.argv.slice(2), {
  env: process.env,
  print: console.log,
  printError: console.error,
});
