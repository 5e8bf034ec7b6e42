import { getAddress } from 'viem';
import { type AccountTarget, chooseTarget } from '../account-target.ts';
import type { Terminal } from '../terminal.ts';
import { parseOptions, USAGE, type Options } from './corporate-options.ts';
import { manageKeys } from './key-options.ts';
import { fundWallet } from '../local-stack/fund-wallet.ts';
import { confirmIssuer } from './confirm-issuer.ts';
import { moveWallet } from './move-wallet.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { setRelayerWallet } from './set-relayer-wallet.ts';
import { sendTestEvent } from './send-test-event.ts';
import { upsertAccount } from './upsert-account.ts';
import { databaseName } from '../database-name.ts';
import { isUsageError, UsageError } from '../usage-error.ts';
import { urlIssue } from '../../src/core/url-issue.ts';
import { targetIssue } from '../../src/platform/egress/target-issue.ts';

async function writeAccount(
  options: Options,
  { stores, localRpcUrls, chains }: AccountTarget,
  say: (line: string) => void,
) {
  const { name, 'corporate-id': corporateId, 'webhook-url': webhookUrl, status, metadata } = options;
  if (options['rotate-webhook-secret'] && corporateId !== undefined) {
    await rotateWebhookSecret(corporateId, stores);
  }
  const { 'move-wallet': key, 'leave-contracts': left } = options;
  if (key !== undefined && corporateId !== undefined) await moveWallet({ corporateId, key, left, chains, say }, stores);
  const account = await upsertAccount(
    {
      name,
      corporateId,
      webhookUrl,
      status,
      walletLinkType: options['wallet-link-type'],
      metadata,
      kmsKey: options['kms-key'],
    },
    stores,
  );
  if (options.issuer !== undefined) await confirmIssuer(account.corporateId, options.issuer, stores.databaseUrl);
  const choice = options['relayer-wallet'];
  const relayerAddress =
    choice === undefined ? account.relayerAddress : await setRelayerWallet(account.corporateId, choice, stores);
  await fundWallet(getAddress(account.walletAddress), localRpcUrls);
  if (relayerAddress !== undefined) await fundWallet(getAddress(relayerAddress), localRpcUrls);
  return { ...account, relayerAddress };
}

/** Without the webhook's secret if only the account's keys are asked about: one secret at a time. */
function shownOf(account: Awaited<ReturnType<typeof writeAccount>>, options: Options) {
  const { created, isList, revoked } = options.keyRequest;
  const isAboutKeys = created !== undefined || isList || revoked !== undefined;
  if (!isAboutKeys || options.name !== undefined || options['rotate-webhook-secret']) return account;
  const { webhookSecret: _, ...others } = account;
  return others;
}

/** @returns the exit code. */
async function corporate(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    terminal.print(USAGE);
    return 0;
  }
  const target = chooseTarget(options.target, terminal.env);
  const { databaseUrl } = target.stores;
  const webhookUrl = options['webhook-url'];
  const issue =
    webhookUrl === undefined
      ? undefined
      : (targetIssue(webhookUrl, target.name === 'local') ?? urlIssue(webhookUrl, 'page'));
  if (issue !== undefined) throw new UsageError(`--webhook-url ${issue}`);
  terminal.printError(`Database: ${databaseName(databaseUrl)}${target.name === 'local' ? ' (local stack)' : ''}`);

  const account = shownOf(await writeAccount(options, target, (line) => terminal.printError(line)), options);
  const testWebhook = options['test-webhook']
    ? await sendTestEvent(account.corporateId, { stores: target.stores, ...target.webhooks })
    : undefined;
  const exitCode = testWebhook?.delivered === false ? 1 : 0;

  const keys = await manageKeys(account.corporateId, options.keyRequest, databaseUrl);
  if (options.json) {
    terminal.print(JSON.stringify({ ...account, ...keys, ...(testWebhook === undefined ? {} : { testWebhook }) }));
    return exitCode;
  }
  for (const [field, value] of Object.entries(account)) {
    if (value !== undefined) terminal.print(`${field.padEnd(18)} ${value}`);
  }
  const { key, ...others } = keys;
  for (const [field, value] of Object.entries(others)) {
    const items = [value].flat().map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    for (const item of items) terminal.print(`${field.padEnd(18)} ${item}`);
  }
  if (key !== undefined) {
    const { key: secret, ...fields } = key;
    terminal.print(`${'key'.padEnd(18)} ${JSON.stringify(fields)}`);
    terminal.print(`export NFT_KEY=${secret}`);
  }
  if (testWebhook !== undefined) {
    terminal.print(`Test event ${testWebhook.webhookId} to ${testWebhook.target}: ${testWebhook.outcome}`);
  }
  return exitCode;
}

/**
 * The command `npm run corporate`, whose arguments `USAGE` describes.
 * @returns its exit code; why it failed is printed.
 */
export async function runCorporate(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await corporate(args, terminal);
  } catch (error) {
    const isUsage = isUsageError(error);
    const reason =
      error instanceof AggregateError
        ? error.errors.map(String).join('; ')
        : String(error instanceof Error ? error.message : error);
    terminal.printError(isUsage ? `${reason}\n\n${USAGE}` : reason);
    return error instanceof UsageError ? error.exitCode : 1;
  }
}
