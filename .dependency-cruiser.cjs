/**
 * The layers of docs/architecture.md, from the bottom up: a folder may import from itself and from what stands before it
 * in this list, types included.
 */
const LAYERS = [
  'core',
  'chains',
  'platform',
  'accounts',
  'services.ts',
  'http',
  'webhooks',
  'engine',
  'catalog',
  'relay',
  'orders',
  'admin',
];

const ENTRIES = '^src/(worker|app|consumer|cron)\\.ts$';

function pathOf(layer) {
  return layer.endsWith('.ts') ? `^src/${layer.replace('.', '\\.')}$` : `^src/${layer}/`;
}

const layering = LAYERS.map((layer, index) => ({
  name: `${layer}-imports-only-what-is-below`,
  severity: 'error',
  from: { path: pathOf(layer) },
  to: { path: [ENTRIES, ...LAYERS.slice(index + 1).map(pathOf)] },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layering,
    {
      name: 'every-folder-is-a-layer',
      comment: 'A new folder of src needs its place in LAYERS.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: [ENTRIES, ...LAYERS.map(pathOf)] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-the-worker-imports-entries',
      severity: 'error',
      from: { pathNot: '^src/(worker|[^/]+\\.test)\\.ts$' },
      to: { path: ENTRIES },
    },
    {
      name: 'only-routes-import-http',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app\\.ts$|http/)|routes\\.ts$|\\.test\\.ts$' },
      to: { path: '^src/http/' },
    },
    {
      name: 'hono-stays-in-http',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(app\\.ts$|http/)|routes\\.ts$' },
      to: { path: '^(hono|@hono/)|node_modules/(hono|@hono)/' },
    },
    {
      name: 'sql-stays-in-stores',
      comment: 'SQL is written in platform/database, in files named *.store.ts and in folders named store.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/database/|/store/|\\.store\\.ts$' },
      to: { path: 'node_modules/(drizzle-orm|@neondatabase)/' },
    },
    {
      name: 'aws-stays-in-its-clients',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(accounts/signing-keys|platform/object-store)\\.ts$' },
      to: { path: 'node_modules/aws4fetch/' },
    },
    {
      name: 'order-kinds-keep-to-themselves',
      comment:
        'Kinds of orders share the engine, relay and catalog. One exception: a deployment can order a hand-over.',
      severity: 'error',
      from: { path: '^src/orders/([^/]+)/' },
      to: {
        path: '^src/orders/',
        pathNot: ['^src/orders/$1/', '^src/orders/ownership/ownership-transfer(s\\.store|-kind)\\.ts$'],
      },
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
