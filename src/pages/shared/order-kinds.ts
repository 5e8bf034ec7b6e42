// Generated from the API document: npm run api:types

/** All kinds of orders of the API, by the names of their replies. */
export const ORDER_KINDS = {
  MintingOrder: {"name":"MintingOrder","title":"minting order","path":"/minting","list":{"hasContract":true,"addressFilter":"receiverAddress"},"hasByTransaction":true,"events":["mint"]},
  TransferOrder: {"name":"TransferOrder","title":"transfer order","path":"/transfer","list":{"hasContract":true,"addressFilter":"from"},"hasByTransaction":true,"events":["transfer","revocation"]},
  BurnOrder: {"name":"BurnOrder","title":"burn order","path":"/burn","list":{"hasContract":true,"addressFilter":"from"},"hasByTransaction":true,"events":["burn"]},
  CertificateRevocation: {"name":"CertificateRevocation","title":"certificate revocation","path":"/certificates/revoke","list":{"hasContract":true,"addressFilter":"from"},"hasByTransaction":true,"events":["certificate-revocation"]},
  OwnershipTransfer: {"name":"OwnershipTransfer","title":"ownership transfer","path":"/contracts/transfer-ownership","list":null,"hasByTransaction":false,"events":["ownership"]},
  ChainNotification: {"name":"ChainNotification","title":"chain notification","path":"/chain-notifications","list":null,"hasByTransaction":false,"events":["notification"]},
  BaseUriChange: {"name":"BaseUriChange","title":"base-uri change","path":"/contracts/base-uri","list":null,"hasByTransaction":false,"events":["base-uri"]},
  DeployedContract: {"name":"DeployedContract","title":"contract","path":"/contracts","list":{"hasContract":false,"addressFilter":null},"hasByTransaction":false,"events":["contract"]},
} as const;

/** The names by which an operator searches for orders. */
export const SEARCHED_KINDS = ["mint","relay-mint","transfer","revocation","burn","certificate-revocation","ownership-transfer","notification","base-uri","deploy"] as const;
