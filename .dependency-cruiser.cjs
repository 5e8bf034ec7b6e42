/** The layering of docs/architecture.md: data runs one way, and imports too. */
const ROUTES = '(^src/app\\.ts$|^src/http/|routes\\.ts$)';
const SQL =
  '(^src/db/|^src/engine/store/|/(accounts/find-account|contracts/contracts|contracts/ownership-transfers|minting/orders|minting/relayed-orders|transfer/transfers|transfer/forward-requests|metadata/metadata|engine/transactions|transactions/transactions|transactions/fill|webhooks/events|webhooks/attempts|wallet/registered-tokens|assets/assets|admin/health|admin/activity-rows|admin/work-in-hand)\\.ts$)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'entry-imports-not-entered',
      comment: 'worker.ts, app.ts, consumer.ts and cron.ts are the top: nothing but the worker imports them.',
      severity: 'error',
      from: { pathNot: '^src/(worker|\\w+\\.test)\\.ts$' },
      to: { path: '^src/(worker|app|consumer|cron)\\.ts$' },
    },
    {
      name: 'engine-knows-no-feature',
      severity: 'error',
      from: { path: '^src/(engine|transactions|webhooks)/' },
      to: { path: '^src/features/' },
    },
    {
      name: 'ground-floor',
      comment: 'accounts, rates, chain, queue, http and db carry the rest and import none of it.',
      severity: 'error',
      from: { path: '^src/(accounts|rates|chain|chains|queue|http|db)/' },
      to: { path: '^src/(features|engine|transactions|webhooks)/' },
    },
    {
      name: 'chain-definitions-import-nothing',
      severity: 'error',
      from: { path: '^src/chains/' },
      to: { path: '^src/', pathNot: '^src/chains/' },
    },
    {
      name: 'features-keep-to-themselves',
      comment: 'Among the features only minting -> metadata, contracts, transfer; wallet -> contracts.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/', pathNot: '^src/features/(minting|wallet)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'minting-may-use',
      severity: 'error',
      from: { path: '^src/features/minting/' },
      to: { path: '^src/features/', pathNot: '^src/features/(minting|metadata|contracts|transfer)/' },
    },
    {
      name: 'wallet-may-use',
      severity: 'error',
      from: { path: '^src/features/wallet/' },
      to: { path: '^src/features/', pathNot: '^src/features/(wallet|contracts)/' },
    },
    {
      name: 'hono-stays-in-http',
      severity: 'error',
      from: { path: '^src/', pathNot: ROUTES },
      to: { path: '^(hono|@hono/)|node_modules/(hono|@hono)/' },
    },
    {
      name: 'sql-stays-in-sql-files',
      severity: 'error',
      from: { path: '^src/', pathNot: SQL },
      to: { path: 'node_modules/(drizzle-orm|@neondatabase)/' },
    },
    {
      name: 'aws-stays-in-its-clients',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(accounts/signing-keys|features/assets/object-store)\\.ts$' },
      to: { path: 'node_modules/aws4fetch/' },
    },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^cloudflare:' } },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '\\.test\\.ts$' },
      to: { path: '\\.test\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src/tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
