/** A kind of order, as the API has it. */
export interface Kind {
  readonly name: KindName;
  /** In words. */
  readonly title: string;
  /** Its routes: `<path>/{id}` reads an order, `<path>/cancel` cancels one. */
  readonly path: string;
  /** Undefined: the API has no list of them. */
  readonly list: { readonly hasContract: boolean; readonly addressFilter: string | undefined } | undefined;
  /** Whether it is found by its transaction: `<path>/by-tx/{txHash}`. */
  readonly hasByTransaction: boolean;
  /** What the types of its events begin with. */
  readonly events: readonly string[];
}

export type KindName =
  | 'mint'
  | 'transfer'
  | 'burn'
  | 'certificate-revocation'
  | 'deployment'
  | 'ownership-transfer'
  | 'notification';

const ofTokens = (addressFilter: string) => ({ hasContract: true, addressFilter });

/** All kinds of orders. */
export const KINDS: readonly Kind[] = [
  {
    name: 'mint',
    title: 'mint',
    path: '/minting',
    list: ofTokens('receiverAddress'),
    hasByTransaction: true,
    events: ['mint'],
  },
  {
    name: 'transfer',
    title: 'transfer',
    path: '/transfer',
    list: ofTokens('from'),
    hasByTransaction: true,
    events: ['transfer', 'revocation'],
  },
  {
    name: 'burn',
    title: 'burn',
    path: '/burn',
    list: ofTokens('from'),
    hasByTransaction: true,
    events: ['burn'],
  },
  {
    name: 'certificate-revocation',
    title: 'certificate revocation',
    path: '/certificates/revoke',
    list: ofTokens('from'),
    hasByTransaction: true,
    events: ['certificate-revocation'],
  },
  {
    name: 'deployment',
    title: 'deployment',
    path: '/contracts',
    list: { hasContract: false, addressFilter: undefined },
    hasByTransaction: false,
    events: ['contract'],
  },
  {
    name: 'ownership-transfer',
    title: 'ownership transfer',
    path: '/contracts/transfer-ownership',
    list: undefined,
    hasByTransaction: false,
    events: ['ownership'],
  },
  {
    name: 'notification',
    title: 'chain notification',
    path: '/chain-notifications',
    list: undefined,
    hasByTransaction: false,
    events: ['notification'],
  },
];

/** A kind by its name. */
export function kindNamed(name: string | null | undefined): Kind | undefined {
  return KINDS.find((kind) => kind.name === name);
}

/** The kind of the order that an event is about; undefined if its type does not say. */
export function kindOfEvent(eventType: string): Kind | undefined {
  const [start = ''] = eventType.split('.');
  return KINDS.find(({ events }) => events.includes(start));
}
