/** The description file of the resolver of products (GS1-Conformant Resolver 1.2, section 7). */
export function resolverDescription(origin: string) {
  return {
    name: 'Certificates of products',
    resolverRoot: origin,
    supportedPrimaryKeys: ['01' as const],
    supportedLinkType: [{ namespace: 'https://ref.gs1.org/voc/', prefix: 'gs1:' }],
    linkTypeDefaultCanBeLinkset: false,
    contact: { fn: 'The operator of this service' },
  };
}
