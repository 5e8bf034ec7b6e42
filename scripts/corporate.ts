// npm run corporate: makes a corporate account or changes one, in the local stack when it runs, else where the environment says.
import { parseArgs } from 'node:util';
import { getAddress } from 'viem';
import { z } from 'zod';
import { fundWallet } from './accounts/fund-wallet.ts';
import { rotateWebhookSecret } from './accounts/rotate-webhook-secret.ts';
import { sendTestEvent } from './accounts/send-test-event.ts';
import { type AccountStores, upsertAccount } from './accounts/upsert-account.ts';
import { secretsSettingsSchema } from './accounts/wallet-secret.ts';
import { targetFault } from '../src/webhooks/target.ts';
import { stackDirectory } from './stack/stack-directory.ts';
import { runningStackSettings } from './stack/stack-files.ts';

const USAGE = `npm run corporate -- --name NAME [--corporate-id ID] [--webhook-url URL] [--env dev|prod] [--json]
                         [--rotate-webhook-secret] [--test-webhook]

Makes a corporate account with a wallet of its own, or changes what is named of the account that has this id.
  --name          the company's name; required for a new account
  --corporate-id  1 to 64 letters, digits, - and _; a random one when it is absent
  --webhook-url   where its events are sent: https, or http in the local stack
  --env           which part of the secrets store its key is in: dev in the local stack, else prod
  --json          print the account as JSON
  --rotate-webhook-secret
                  give the account that has this id a new webhook secret; for 24 hours both sign
  --test-webhook  send its target a signed event of type webhook.test from this machine, and print the outcome; ends with 1
                  when the target does not answer 2xx
The account goes to the local stack when one runs (STACK_DIR, default .dev), else to DATABASE_URL and the secrets store of
AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, where it is not AWS's own, SECRETS_ENDPOINT.`;

/** What the user did wrong, in words for the user. */
class UsageError extends Error {}

const stringOption = { type: 'string' } as const;

function request(isLocal: boolean) {
  const { values } = parseArgs({
    options: {
      name: stringOption,
      'corporate-id': stringOption,
      'webhook-url': stringOption,
      env: stringOption,
      json: { type: 'boolean', default: false },
      'rotate-webhook-secret': { type: 'boolean', default: false },
      'test-webhook': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const schema = z.object({
    name: z.string().trim().min(1, '--name must not be empty').max(200, '--name is too long').optional(),
    'corporate-id': z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, '--corporate-id must be 1 to 64 letters, digits, - and _')
      .optional(),
    'webhook-url': z
      .string()
      .superRefine((url, context) => {
        const fault = targetFault(url, isLocal);
        if (fault !== undefined) context.addIssue(`--webhook-url ${fault}`);
      })
      .optional(),
    env: z.enum(['dev', 'prod'], '--env must be dev or prod').default(isLocal ? 'dev' : 'prod'),
  });
  const parsed = schema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map((issue) => issue.message).join('\n'));
  if (parsed.data.name === undefined && parsed.data['corporate-id'] === undefined) {
    throw new UsageError('--name is required');
  }
  if (values['rotate-webhook-secret'] && parsed.data['corporate-id'] === undefined) {
    throw new UsageError('--rotate-webhook-secret needs --corporate-id');
  }
  return {
    ...parsed.data,
    json: values.json,
    rotate: values['rotate-webhook-secret'],
    test: values['test-webhook'],
  };
}

const environmentSchema = secretsSettingsSchema.extend({ DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }) });

function stores(settings: Readonly<Record<string, string | undefined>>): Omit<AccountStores, 'environment'> {
  const parsed = environmentSchema.safeParse(settings);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].join(', ');
    throw new UsageError(
      `No local stack runs here (npm run dev starts one), and the environment does not say where else to write: ${names} missing or malformed.`,
    );
  }
  return { databaseUrl: parsed.data.DATABASE_URL, secrets: parsed.data };
}

async function main(): Promise<void> {
  const local = runningStackSettings(stackDirectory());
  const { env, name, 'webhook-url': webhookUrl, ...asked } = request(local !== undefined);
  const settings = local?.worker ?? process.env;
  const target = stores(settings);
  const { databaseUrl } = target;
  if (asked.rotate && asked['corporate-id'] !== undefined)
    await rotateWebhookSecret(asked['corporate-id'], databaseUrl);
  const account = await upsertAccount(
    { name, corporateId: asked['corporate-id'], webhookUrl },
    { ...target, environment: env },
  );
  if (local) await fundWallet(getAddress(account.walletAddress), Object.values(local.rpcUrls));
  const testWebhook = asked.test
    ? await sendTestEvent(account.corporateId, {
        databaseUrl,
        defaultTarget: settings['WEBHOOK_URL'],
        allowPrivate: settings['WEBHOOK_ALLOW_PRIVATE_TARGETS'] === 'true',
      })
    : undefined;
  if (testWebhook?.delivered === false) process.exitCode = 1;

  if (asked.json) {
    console.log(JSON.stringify(testWebhook === undefined ? account : { ...account, testWebhook }));
    return;
  }
  console.log(local ? 'In the local stack:' : `At ${new URL(databaseUrl).host}:`);
  for (const [field, value] of Object.entries(account)) console.log(`  ${field.padEnd(18)} ${value}`);
  if (testWebhook !== undefined) {
    console.log(`The test event ${testWebhook.webhookId} to ${testWebhook.target}: ${testWebhook.outcome}`);
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
  process.exitCode = 1;
}
