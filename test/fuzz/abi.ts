import * as fc from 'fast-check';
import { maxUint256 } from 'viem';

/** A parameter of an ABI, with values that fit it. */
interface Typed {
  readonly type: string;
  readonly components?: readonly { readonly type: string }[];
  readonly value: unknown;
}

/** Functions that the contracts of the service have. */
const KNOWN = [
  'ownerOf',
  'balanceOf',
  'owner',
  'tokenURI',
  'uri',
  'supportsInterface',
  'name',
  'symbol',
  'getNonce',
  'getMetadataHash',
  'royaltyInfo',
];

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((all) => `0x${Buffer.from(all).toString('hex')}`);

const unsigned = fc
  .integer({ min: 1, max: 32 })
  .chain((size) =>
    fc
      .bigInt({ min: 0n, max: maxUint256 >> BigInt(256 - size * 8) })
      .map((value) => ({ type: `uint${size * 8}`, value: String(value) })),
  );
const signed = fc
  .integer({ min: 1, max: 32 })
  .chain((size) =>
    fc
      .bigInt({ min: -(1n << BigInt(size * 8 - 1)), max: (1n << BigInt(size * 8 - 1)) - 1n })
      .map((value) => ({ type: `int${size * 8}`, value: String(value) })),
  );
const fixedBytes = fc
  .integer({ min: 1, max: 32 })
  .chain((size) => bytes(size).map((value) => ({ type: `bytes${size}`, value })));

const { parameter } = fc.letrec<{ parameter: Typed; leaf: Typed; list: Typed; fixed: Typed; tuple: Typed }>((tie) => ({
  parameter: fc.oneof({ maxDepth: 3, depthIdentifier: 'abi' }, tie('leaf'), tie('list'), tie('fixed'), tie('tuple')),
  leaf: fc.oneof(
    unsigned,
    signed,
    fixedBytes,
    bytes(20).map((value) => ({ type: 'address', value })),
    fc.boolean().map((value) => ({ type: 'bool', value })),
    fc
      .nat(40)
      .chain(bytes)
      .map((value) => ({ type: 'bytes', value })),
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => ({ type: 'string', value })),
  ),
  list: fc.tuple(tie('parameter'), fc.nat(3)).map(([{ value, ...one }, count]) => ({
    ...one,
    type: `${one.type}[]`,
    value: Array.from({ length: count }, () => value),
  })),
  fixed: fc.tuple(tie('parameter'), fc.integer({ min: 1, max: 3 })).map(([{ value, ...one }, count]) => ({
    ...one,
    type: `${one.type}[${count}]`,
    value: Array.from({ length: count }, () => value),
  })),
  tuple: fc.array(tie('parameter'), { minLength: 1, maxLength: 3 }).map((all) => ({
    type: 'tuple',
    components: all.map((one, index) => declared(one, `m${index}`)),
    value: all.map(({ value }) => value),
  })),
}));

/**
 * Functions that the contracts have, without parameters: what they return is decoded, whatever the ABI says that it is.
 */
const readerCall = fc.record({
  method: fc.constantFrom('owner', 'name', 'symbol', 'baseURI', 'trustedForwarder'),
  inputs: fc.constant<Typed[]>([]),
});

const anyCall = fc.record({
  method: fc.oneof(fc.constantFrom(...KNOWN), fc.stringMatching(/^[A-Za-z_$][\w$]{0,20}$/)),
  inputs: fc.array(parameter, { maxLength: 4 }),
});

/**
 * Fields of POST /contracts/read: a function of an ABI that says anything about its parameters and results, and
 * arguments that fit it.
 */
export const abiCall: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    call: fc.oneof(readerCall, anyCall),
    outputs: fc.array(parameter, { maxLength: 4 }),
    stateMutability: fc.constantFrom('view', 'pure', 'view', 'nonpayable'),
    others: fc.array(
      fc.oneof(
        fc.constant({ type: 'constructor', inputs: [] }),
        fc.constant({ type: 'fallback', stateMutability: 'payable' }),
        fc.record({
          type: fc.constant('error'),
          name: fc.constantFrom('Error', 'Odd'),
          inputs: fc.constant([{ type: 'uint256', name: 'a' }]),
        }),
      ),
      { maxLength: 2 },
    ),
  })
  .map(({ call: { method, inputs }, outputs, stateMutability, others }) => ({
    method,
    args: inputs.map(({ value }) => value),
    abi: [
      ...others,
      {
        type: 'function',
        name: method,
        inputs: inputs.map((one, index) => declared(one, `p${index}`)),
        outputs: outputs.map((one, index) => declared(one, `p${index}`)),
        stateMutability,
      },
    ],
  }));

/** A parameter as an ABI declares it. */
function declared({ type, components }: Typed, name: string) {
  return { type, name, ...(components === undefined ? {} : { components }) };
}

/** Fields of calls that the contracts of the service answer. @param tokenId A token that exists. @param address Any. */
export function knownCalls(tokenId: string, address: string): readonly Record<string, unknown>[] {
  return [
    { method: 'owner' },
    { method: 'ownerOf', args: [tokenId] },
    { method: 'tokenURI', args: [tokenId] },
    { method: 'supportsInterface', args: ['0x80ac58cd'] },
    { method: 'balanceOf', args: [address] },
    { method: 'isTrustedForwarder', args: [address] },
    { method: 'symbol', args: [] },
  ];
}
