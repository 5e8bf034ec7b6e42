/**
 * The layers of docs/architecture.md, from the bottom up: a folder may import from itself and from what stands before it
 * in this list, types included.
 */
const LAYERS = [
  'core',
  'chains',
  'platform',
  'engine',
  'accounts',
  'services.ts',
  'http',
  'keys',
  'audit',
  'webhooks',
  'holdings',
  'limits',
  'catalog',
  'credentials',
  'relay',
  'orders',
  'approvals',
  'imports',
  'admin',
];

const ENTRIES = '^src/(worker|edge|app|consumer|cron)\\.ts$';

function pathOf(layer) {
  return layer.endsWith('.ts') ? `^src/${layer.replace('.', '\\.')}$` : `^src/${layer}/`;
}

const layering = LAYERS.map((layer, index) => ({
  name: `${layer}-imports-only-what-is-below`,
  severity: 'error',
  from: { path: pathOf(layer) },
  to: { path: [ENTRIES, ...LAYERS.slice(index + 1).map(pathOf)] },
}));

/** The top-level folders, from the bottom up. Whatever stands above a folder may use it, and never the reverse. */
const TOP_LEVEL = ['src', 'cli', 'stack', 'scripts', 'bench', 'clients', 'test'];

const topLevel = TOP_LEVEL.slice(0, -1).map((folder, index) => ({
  name: `${folder}-imports-only-what-is-below`,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: TOP_LEVEL.slice(index + 1).map((above) => `^${above}/`) },
}));

const localStack = [
  {
    name: 'local-stack-has-one-surface',
    comment:
      'Files directly in stack/ are public; its subfolders are private, except to the tests of the stack and of the engine, and to the simulation.',
    severity: 'error',
    from: { pathNot: '^(test/)?stack/|^test/(engine|simulation)/|\\.test\\.ts$' },
    to: { path: '^stack/[^/]+/' },
  },
  {
    name: 'local-stack-knows-only-the-chains',
    comment: 'Of the product, the local stack uses the list of chains; everything else it reaches over the network.',
    severity: 'error',
    from: { path: '^stack/' },
    to: { path: '^src/', pathNot: '^src/chains/(list|definition)\\.ts$' },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layering,
    ...topLevel,
    ...localStack,
    {
      name: 'every-folder-is-a-layer',
      comment: 'A new folder of src needs its place in LAYERS.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: [ENTRIES, ...LAYERS.map(pathOf)] },
    },
    {
      name: 'clients-stand-alone',
      comment: 'A client is a package of its own, without dependencies, that also runs where there is no Node.js.',
      severity: 'error',
      from: { path: '^clients/[^/]+/src/' },
      to: { pathNot: '^clients/[^/]+/src/' },
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
      from: { path: '^src/', pathNot: '^src/((app|edge)\\.ts$|http/)|routes\\.ts$|\\.test\\.ts$' },
      to: { path: '^src/http/' },
    },
    {
      name: 'hono-stays-in-http',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/((app|edge)\\.ts$|http/)|routes\\.ts$' },
      to: { path: '^(hono|@hono/)|node_modules/(hono|@hono)/' },
    },
    {
      name: 'sql-stays-in-stores',
      comment: 'SQL is written in platform/database, in files named *.store.ts and in folders named store.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/database/|/store/|\\.(store|test)\\.ts$' },
      to: { path: 'node_modules/(drizzle-orm|@neondatabase)/' },
    },
    {
      name: 'product-uses-no-development-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'aws-stays-in-its-clients',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(accounts/aws-json|platform/object-store)\\.ts$' },
      to: { path: 'node_modules/aws4fetch/' },
    },
    {
      name: 'order-kinds-keep-to-themselves',
      comment:
        'Kinds of orders share the files directly in orders, but no folder. Two exceptions: a deployment can order an ownership transfer, and a reissue is no kind: it is a revocation and a mint.',
      severity: 'error',
      from: { path: '^src/orders/([^/]+)/', pathNot: '^src/orders/reissue/' },
      to: {
        path: '^src/orders/[^/]+/',
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
    // The parser does not read JSX. What pages may import is a rule of the linter.
    exclude: { path: '^(src/pages|scripts/site|clients/[^/]+/dist)/' },
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
