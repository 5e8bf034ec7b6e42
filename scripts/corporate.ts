// npm run corporate: creates or updates a corporate account, in the local stack or in the database of the environment.
import { getAddress } from 'viem';
import { type AccountTarget, chooseTarget } from './accounts/account-target.ts';
import { parseOptions, USAGE, type Options } from './accounts/corporate-options.ts';
import { manageKeys } from './accounts/key-options.ts';
import { fundWallet } from '../stack/fund-wallet.ts';
import { rotateWebhookSecret } from '../operations/accounts/rotate-webhook-secret.ts';
import { setRelayerWallet } from '../operations/accounts/set-relayer-wallet.ts';
import { sendTestEvent } from './accounts/send-test-event.ts';
import { upsertAccount } from '../operations/accounts/upsert-account.ts';
import { databaseName } from './database-name.ts';
import { UsageError } from './usage-error.ts';
import { urlIssue } from '../src/core/url-issue.ts';
import { targetIssue } from '../src/platform/egress/target-issue.ts';

async function writeAccount(options: Options, { stores, localRpcUrls }: AccountTarget) {
  const { name, 'corporate-id': corporateId, 'webhook-url': webhookUrl, status, metadata } = options;
  if (options['rotate-webhook-secret'] && corporateId !== undefined) {
    await rotateWebhookSecret(corporateId, stores);
  }
  const account = await upsertAccount(
    { name, corporateId, webhookUrl, status, walletLinkType: options['wallet-link-type'], metadata },
    stores,
  );
  const choice = options['relayer-wallet'];
  const relayerAddress =
    choice === undefined ? account.relayerAddress : await setRelayerWallet(account.corporateId, choice, stores);
  await fundWallet(getAddress(account.walletAddress), localRpcUrls);
  if (relayerAddress !== undefined) await fundWallet(getAddress(relayerAddress), localRpcUrls);
  return { ...account, relayerAddress };
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  const target = chooseTarget(options.target);
  const { databaseUrl } = target.stores;
  const webhookUrl = options['webhook-url'];
  const issue =
    webhookUrl === undefined
      ? undefined
      : (targetIssue(webhookUrl, target.name === 'local') ?? urlIssue(webhookUrl, 'page'));
  if (issue !== undefined) throw new UsageError(`--webhook-url ${issue}`);
  console.error(`Database: ${databaseName(databaseUrl)}${target.name === 'local' ? ' (local stack)' : ''}`);

  const account = await writeAccount(options, target);
  const testWebhook = options['test-webhook']
    ? await sendTestEvent(account.corporateId, { stores: target.stores, ...target.webhooks })
    : undefined;
  if (testWebhook?.delivered === false) process.exitCode = 1;

  const keys = await manageKeys(account.corporateId, options.keyRequest, databaseUrl);
  if (options.json) {
    console.log(JSON.stringify({ ...account, ...keys, ...(testWebhook === undefined ? {} : { testWebhook }) }));
    return;
  }
  for (const [field, value] of Object.entries(account)) {
    if (value !== undefined) console.log(`${field.padEnd(18)} ${value}`);
  }
  for (const [field, value] of Object.entries(keys)) {
    const items = [value].flat().map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    for (const item of items) console.log(`${field.padEnd(18)} ${item}`);
  }
  if (testWebhook !== undefined) {
    console.log(`Test event ${testWebhook.webhookId} to ${testWebhook.target}: ${testWebhook.outcome}`);
  }
}

try {
  await main();
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const reason =
    error instanceof AggregateError
      ? error.errors.map(String).join('; ')
      : String(error instanceof Error ? error.message : error);
  console.error(isUsage ? `${reason}\n\n${USAGE}` : reason);
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
}
