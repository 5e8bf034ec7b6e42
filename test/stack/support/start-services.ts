// Starts the services on the directory that it is given, prints what a test needs of them as one line of JSON, and runs until it
// is killed.
import { keeperPid } from '../../../stack/kept-process.ts';
import { startServices } from '../../../stack/services.ts';

const [dataDir = ''] = process.argv.slice(2);
const { databaseUrl, rpcUrls, identity } = await startServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
console.log(JSON.stringify({ databaseUrl, rpcUrl: rpcUrls['43114'], identity, keeperPid: keeperPid() }));
