/** The documents that the site shows, by their readers, in the order of the sidebar. */
export const GUIDES: Readonly<Record<'partners' | 'holders' | 'operators' | 'contributors', readonly Guide[]>> = {
  partners: [
    {
      file: 'docs/partner-guide.md',
      label: 'Partner guide',
      about: 'From a key to a minted token, step by step, and how to handle errors.',
    },
    {
      file: 'docs/guide.md',
      label: 'Complete programs',
      about: 'A contract, a mint, a transfer and a certificate in curl, TypeScript and Python.',
    },
    {
      file: 'docs/client.md',
      label: 'TypeScript client',
      about: 'A package that retries, waits, pages through lists, and verifies webhooks.',
    },
    {
      file: 'docs/portal.md',
      label: 'Portal',
      about: 'Orders, contracts, webhooks and keys of your account in the browser.',
    },
    { file: 'docs/webhooks.md', label: 'Webhooks', about: 'Events, endpoints, signatures, retries and replays.' },
    {
      file: 'docs/metadata.md',
      label: 'Metadata',
      about: 'Editing a document before and after its mint, until it is frozen.',
    },
    {
      file: 'docs/collections.md',
      label: 'Collections',
      about: 'What marketplaces show about a contract, and how they learn of changes.',
    },
    { file: 'docs/assets.md', label: 'Assets', about: 'Uploading the files that tokens show.' },
    {
      file: 'docs/gasless.md',
      label: 'Gasless requests',
      about: 'Transfers, burns and mints that a holder signs and the account pays for.',
    },
    {
      file: 'docs/certificates.md',
      label: 'Certificates',
      about: 'Non-transferable tokens whose document never changes.',
    },
    {
      file: 'docs/credentials.md',
      label: 'Credentials',
      about: 'Certificates as verifiable credentials and Open Badges, and QR codes on products.',
    },
    {
      file: 'docs/claims.md',
      label: 'Claim links',
      about: 'Mints whose receiver is named by whoever claims the link.',
    },
    {
      file: 'docs/imports.md',
      label: 'Imports',
      about: 'A file of up to 100,000 documents and mints: check, start, progress, result.',
    },
    {
      file: 'docs/holdings.md',
      label: 'Holdings',
      about: 'Who holds which tokens, and an event for each transfer.',
    },
    { file: 'docs/gate.md', label: 'Gates', about: 'Using each ticket once, with a scanner, a phone or a tablet.' },
    { file: 'docs/keys.md', label: 'Keys', about: 'Scopes, expiry and addresses of keys; creating and revoking them.' },
    { file: 'docs/approvals.md', label: 'Approvals', about: 'A second person approves what cannot be undone.' },
    {
      file: 'docs/api.md',
      label: 'Rules of the API',
      about: 'Sizes, lists, idempotency, limits: rules for all operations.',
    },
    { file: 'docs/errors.md', label: 'Errors', about: 'The form of an error, and what to do for each code.' },
    { file: 'docs/mistakes.md', label: 'Common mistakes', about: 'What the service replies to common mistakes.' },
  ],
  holders: [
    {
      file: 'docs/certificate-check.md',
      label: 'Certificate check',
      about: 'What the check shows, what it proves, and who an issuer is.',
    },
    {
      file: 'docs/contracts.md',
      label: 'Contracts',
      about: 'What the contracts do, who can do what, and what they cost in gas.',
    },
  ],
  operators: [
    {
      file: 'docs/operations.md',
      label: 'Operations',
      about: 'Deploying, settings, accounts, limits, pauses, alerts, backups.',
    },
    {
      file: 'docs/archive.md',
      label: 'Archives',
      about: 'Static files to check certificates without the service, or to move to another deployment.',
    },
    { file: 'docs/kms.md', label: 'Keys in KMS', about: 'Wallets whose keys never leave an AWS HSM.' },
    { file: 'docs/console.md', label: 'Console', about: 'What the operator sees and does in the browser.' },
    { file: 'docs/monitoring.md', label: 'Monitoring', about: 'Metrics, traces, logs and service levels.' },
    { file: 'docs/security.md', label: 'Security', about: 'The attacks considered, and what prevents them.' },
    { file: 'docs/audit.md', label: 'Audit log', about: 'Who requested which change, and when.' },
    {
      file: 'docs/capacity.md',
      label: 'Capacity and costs',
      about: 'What it can handle, what limits it, and what it costs.',
    },
  ],
  contributors: [
    { file: 'docs/architecture.md', label: 'Architecture', about: 'The parts, and what may import what.' },
    { file: 'docs/engine.md', label: 'Engine', about: 'How an order is executed exactly once: states and invariants.' },
    {
      file: 'docs/reliability.md',
      label: 'Reliability',
      about: 'Simulation, mutants, crashes and loads, and what they found.',
    },
    { file: 'docs/benchmarks.md', label: 'Benchmarks', about: 'Measured times and throughput.' },
    {
      file: 'docs/dependencies.md',
      label: 'Dependencies',
      about: 'What ships, its licences and its known weaknesses.',
    },
    {
      file: 'docs/comparison.md',
      label: 'Comparison',
      about: "How this compares with Stripe's and thirdweb's documentation and dashboards.",
    },
    { file: 'docs/decisions/README.md', label: 'Decisions', about: 'Why things are as they are.' },
  ],
};

/** Whom the documents are for, in the order of the site. */
export const READERS = [
  ['partners', 'Partners, who call the API'],
  ['holders', 'Holders, and anyone shown a certificate'],
  ['operators', 'Operators, who run the service'],
  ['contributors', 'Contributors'],
] as const;

interface Guide {
  readonly file: string;
  /** Its short title. */
  readonly label: string;
  /** What is in it, in a sentence. */
  readonly about: string;
}

/** Files that are shown as they are: what documents link to, and a reader copies. */
export const PROGRAM = /^docs\/(?:programs\/)?[\w-]+\.(?:sh|ts|mts|mjs|py|html|json|yml)$/;

/** The path of a document in docs/. */
export function pathOfGuide(file: string): string {
  return `/${file.replace(/(?:\/README)?\.md$/, '')}`;
}

/** The path of a file's page on the site; undefined if it has none. @param file From the root of the repository. */
export function pathOfFile(file: string): string | undefined {
  if (file === 'README.md') return '/';
  if (file === 'CHANGELOG.md') return '/docs/changelog';
  if (PROGRAM.test(file)) return `/${file}`;
  return file.startsWith('docs/') && file.endsWith('.md') ? pathOfGuide(file) : undefined;
}
