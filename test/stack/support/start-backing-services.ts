// Starts the backing services on the given data directory, prints what tests need as one line of JSON, and runs until
// it is killed.
import { supervisorPid } from '../../../stack/processes/supervised-process.ts';
import { startBackingServices } from '../../../stack/backing-services.ts';

const [dataDir = ''] = process.argv.slice(2);
const { databaseUrl, rpcUrls, credentials } = await startBackingServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
console.log(JSON.stringify({ databaseUrl, rpcUrl: rpcUrls['43114'], credentials, supervisorPid: supervisorPid() }));
