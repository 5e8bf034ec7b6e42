// Generated from the API document: npm run api:types
import type { List, Operation, RequestOptions, WriteOptions } from './operation.ts';

export interface components {
    schemas: {
        readonly Health: {
            /**
             * @description unavailable: the data store does not answer
             * @enum {string}
             */
            readonly status: "ok" | "unavailable";
            /** @description Version of the service */
            readonly version: string;
            /** @description When the reply was made, UTC */
            readonly timestamp: string;
        };
        readonly ListMetadataVersionsInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
        };
        readonly ListMetadataVersionsReply: {
            /** @description The versions of this page */
            readonly items: readonly components["schemas"]["MetadataVersion"][];
            /** @description `cursor` of the next page; null on the last page */
            readonly nextCursor: string | null;
        };
        readonly MetadataVersion: {
            /** @description From 1 */
            readonly version: number;
            /**
             * @description The schema that the document was validated with
             * @enum {string}
             */
            readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            /** @description Copy of utility.data.status; null if there is none */
            readonly currentStatus: string | null;
            /** @description The document in the form that marketplaces read */
            readonly standardFields: {
                /** @description Name of the token */
                readonly name: string;
                /** @description About the token */
                readonly description?: string;
                /** @description URL of the picture */
                readonly image: string;
                /** @description URL of a page about the token */
                readonly external_url?: string;
                /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
                readonly animation_url?: string;
                /** @description Background of the picture: six hex digits, without "#" */
                readonly background_color?: string;
                /** @description Traits */
                readonly attributes: readonly {
                    /** @description Name of the trait */
                    readonly trait_type: string;
                    /** @description Text, number or boolean; a date is Unix time in seconds */
                    readonly value: string | number | boolean;
                    /** @description How marketplaces show the value */
                    readonly display_type?: string;
                }[];
                /** @description What the token is for */
                readonly utility: {
                    /**
                     * @description What the token is for; decides the schema
                     * @enum {string}
                     */
                    readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                    /** @description URL where the token can be validated */
                    readonly validation_url?: string;
                    /** @description The keys that the schema of the type requires, and any others */
                    readonly data: {
                        readonly [key: string]: unknown;
                    };
                };
            };
            /** @description When the next version replaced it, UTC */
            readonly replacedAt: string;
            /**
             * @description Who replaced it: a key of the account, or a global API key; null: unknown
             * @enum {string|null}
             */
            readonly replacedBy: "key" | "global" | null;
            /** @description The key of the account that was used; otherwise null */
            readonly replacedByKeyId: string | null;
        };
        readonly GetTokenMetadataInput: {
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: decimal, or 64 hex digits */
            readonly tokenId: string;
        };
        readonly TokenMetadata: {
            /** @description Name of the token */
            readonly name: string;
            /** @description About the token */
            readonly description?: string;
            /** @description URL of the picture */
            readonly image: string;
            /** @description URL of a page about the token */
            readonly external_url?: string;
            /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
            readonly animation_url?: string;
            /** @description Background of the picture: six hex digits, without "#" */
            readonly background_color?: string;
            /** @description Traits */
            readonly attributes: readonly {
                /** @description Name of the trait */
                readonly trait_type: string;
                /** @description Text, number or boolean; a date is Unix time in seconds */
                readonly value: string | number | boolean;
                /** @description How marketplaces show the value */
                readonly display_type?: string;
            }[];
            /** @description What the token is for */
            readonly utility: {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                /** @description URL where the token can be validated */
                readonly validation_url?: string;
                /** @description The keys that the schema of the type requires, and any others */
                readonly data: {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly GetCollectionInput: {
            /** @description Address of the contract after its 0x, in any letter case */
            readonly contractAddress: string;
        };
        readonly Collection: {
            /** @description Name of the collection */
            readonly name: string;
            /** @description Its symbol */
            readonly symbol?: string;
            /** @description About the collection */
            readonly description?: string;
            /** @description URL of its picture */
            readonly image?: string;
            /** @description URL of a wide picture */
            readonly banner_image?: string;
            /** @description URL of a square picture */
            readonly featured_image?: string;
            /** @description URL of a page about the collection */
            readonly external_link?: string;
            /** @description Wallets that may edit how marketplaces show it */
            readonly collaborators?: readonly string[];
        };
        readonly GetCollectionFactsInput: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
        };
        readonly CollectionFacts: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /**
             * @description Token standard
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /**
             * @description standard: tokens can be transferred. certificate: they cannot
             * @enum {string}
             */
            readonly contractType: "standard" | "certificate";
            /** @description Who owns the contract and mints, as this service knows */
            readonly ownerAddress: string | null;
            /** @description Whether its creation proves that it, and the forwarder that it trusts, have published code; if not, it may let anyone mint */
            readonly hasPublishedCode: boolean;
            /** @description How many of its tokens have metadata here, at most 10000 */
            readonly tokenCount: number;
            /** @description Whether there are more than 10000 */
            readonly hasMoreTokens: boolean;
        };
        readonly ListCollectionTokensInput: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description nextBefore of the previous page */
            readonly before?: string;
        };
        readonly CollectionTokens: {
            /** @description Ids of tokens with metadata, those minted last first */
            readonly tokenIds: readonly string[];
            /** @description `before` of the next page; null on the last page */
            readonly nextBefore: string | null;
        };
        readonly MetadataSchemas: {
            /** @description All published schemas */
            readonly items: readonly {
                /**
                 * @description Name and version of the schema
                 * @enum {string}
                 */
                readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
                /**
                 * @description The utility.type that it is for
                 * @enum {string}
                 */
                readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                /** @description Whether it applies to requests without schemaVersion */
                readonly isDefault: boolean;
                /** @description A valid document */
                readonly document: {
                    /** @description Name of the token */
                    readonly name: string;
                    /** @description About the token */
                    readonly description?: string;
                    /** @description URL of the picture */
                    readonly image: string;
                    /** @description URL of a page about the token */
                    readonly external_url?: string;
                    /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
                    readonly animation_url?: string;
                    /** @description Background of the picture: six hex digits, without "#" */
                    readonly background_color?: string;
                    /** @description Traits */
                    readonly attributes: readonly {
                        /** @description Name of the trait */
                        readonly trait_type: string;
                        /** @description Text, number or boolean; a date is Unix time in seconds */
                        readonly value: string | number | boolean;
                        /** @description How marketplaces show the value */
                        readonly display_type?: string;
                    }[];
                    /** @description What the token is for */
                    readonly utility: {
                        /**
                         * @description What the token is for; decides the schema
                         * @enum {string}
                         */
                        readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                        /** @description URL where the token can be validated */
                        readonly validation_url?: string;
                        /** @description The keys that the schema of the type requires, and any others */
                        readonly data: {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            }[];
        };
        readonly GetMetadataSchemaInput: {
            /**
             * @description Name and version of the schema
             * @enum {string}
             */
            readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
        };
        readonly JsonSchema: {
            readonly [key: string]: unknown;
        };
        readonly GetIssuerInput: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description The issuing wallet, in hex */
            readonly walletAddress: string;
        };
        readonly Issuer: {
            /** @description Public name, up to 100 characters */
            readonly name: string;
            /** @description URL of its logo, https */
            readonly logoUrl: string;
            /** @description Its domain, which proves that the wallet is its own: /.well-known/nft-issuer.json there names it */
            readonly domain: string;
            /** @description When the operator confirmed it, UTC */
            readonly confirmedAt: string;
        };
        readonly GetDeploymentInput: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
        };
        readonly Deployment: {
            /** @description Salt (32 bytes), creation bytecode and constructor arguments */
            readonly creation: string;
            /** @description The same of the forwarder that the contract trusts; null if there is none, or it is not known */
            readonly forwarderCreation: string | null;
        };
        readonly GetPublicRevocationInput: {
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
        };
        readonly PublicRevocation: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Why it was revoked, as ordered */
            readonly reason: string;
            /** @description Hash of the transaction that revoked it, in lower case */
            readonly txHash: string | null;
        };
        readonly GetCredentialInput: {
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
        };
        readonly CertificateCredential: {
            /** @description JSON-LD contexts */
            readonly "@context": readonly unknown[];
            /** @description Its own URL */
            readonly id: string;
            /** @description VerifiableCredential, and OpenBadgeCredential for an Open Badge */
            readonly type: readonly string[];
            /** @description Name of the token */
            readonly name: string;
            /** @description Who has issued it */
            readonly issuer: {
                /** @description DID of the issuer */
                readonly id: string;
                /** @description Its confirmed name */
                readonly name?: string;
                /** @description Of an Open Badge: Profile */
                readonly type?: readonly string[];
                /** @description Of an Open Badge: its confirmed domain */
                readonly url?: string;
                /** @description Of an Open Badge: its confirmed logo */
                readonly image?: {
                    /** @description URL of the picture */
                    readonly id: string;
                    /** @description Always Image */
                    readonly type: string;
                };
            };
            /** @description When its first mint was confirmed, UTC */
            readonly validFrom: string;
            /** @description valid_until of the document, if that is a moment, UTC */
            readonly validUntil?: string;
            /** @description What is certified; it does not name the holder */
            readonly credentialSubject: {
                /** @description The token, by CAIP-19 */
                readonly id: string;
                /** @description Of an Open Badge: AchievementSubject */
                readonly type?: readonly string[];
                /** @description Name of the token */
                readonly name?: string;
                /** @description Description of the token */
                readonly description?: string;
                /** @description Picture of the token */
                readonly image?: string;
                /** @description Of an Open Badge */
                readonly achievement?: {
                    /** @description Id of the achievement */
                    readonly id: string;
                    /** @description Always Achievement */
                    readonly type: readonly string[];
                    /** @description The trait Type */
                    readonly achievementType: string;
                    /** @description Name of the token */
                    readonly name: string;
                    /** @description Description of the token, or else its name */
                    readonly description: string;
                    /** @description What was required */
                    readonly criteria: {
                        /** @description What was required: its external URL, or else the check */
                        readonly id: string;
                    };
                    /** @description Picture of the token */
                    readonly image?: {
                        /** @description URL of the picture */
                        readonly id: string;
                        /** @description Always Image */
                        readonly type: string;
                    };
                };
                /** @description The token on its chain */
                readonly token: {
                    /** @description Chain id, decimal */
                    readonly chainId: string;
                    /** @description Address of the contract, in lower case */
                    readonly contractAddress: string;
                    /** @description Token id: a 256-bit number, decimal */
                    readonly tokenId: string;
                    /** @description SHA-256 of the document, as the contract has it */
                    readonly metadataHash: string;
                };
            };
            /** @description The document */
            readonly relatedResource: readonly {
                /** @description URL of the document, as the contract has it */
                readonly id: string;
                /** @description Its SHA-256 */
                readonly digestSRI: string;
            }[];
            /** @description Where it says whether it is revoked */
            readonly credentialStatus: {
                /** @description The bit */
                readonly id: string;
                /** @description Always BitstringStatusListEntry */
                readonly type: string;
                /** @description Always revocation */
                readonly statusPurpose: string;
                /** @description Index of the bit */
                readonly statusListIndex: string;
                /** @description The list */
                readonly statusListCredential: string;
            };
            /** @description Signature of the issuer; of an Open Badge a list of one */
            readonly proof: components["schemas"]["DataIntegrityProof"] | readonly components["schemas"]["DataIntegrityProof"][];
        };
        readonly DataIntegrityProof: {
            /** @description Always DataIntegrityProof */
            readonly type: string;
            /** @description Always eddsa-rdfc-2022 */
            readonly cryptosuite: string;
            /** @description The key, in the DID document of the issuer */
            readonly verificationMethod: string;
            /** @description Always assertionMethod */
            readonly proofPurpose: string;
            /** @description The signature, multibase */
            readonly proofValue: string;
        };
        readonly GetStatusListInput: {
            /** @description Id of the issuer, as in its DID */
            readonly issuerId: string;
            /** @description Number of the list, from 0; for a DID under the issuer's own domain with that, such as `0@watches.example` */
            readonly list: string;
        };
        readonly StatusListCredential: {
            /** @description JSON-LD contexts */
            readonly "@context": readonly unknown[];
            /** @description Its own URL */
            readonly id: string;
            /** @description Its types */
            readonly type: readonly string[];
            /** @description DID of the issuer */
            readonly issuer: string;
            /** @description The bits */
            readonly credentialSubject: {
                /** @description The list */
                readonly id: string;
                /** @description Always BitstringStatusList */
                readonly type: string;
                /** @description Always revocation */
                readonly statusPurpose: string;
                /** @description 131,072 bits, compressed by gzip, multibase */
                readonly encodedList: string;
            };
            /** @description Signature of the issuer */
            readonly proof: {
                /** @description Always DataIntegrityProof */
                readonly type: string;
                /** @description Always eddsa-rdfc-2022 */
                readonly cryptosuite: string;
                /** @description The key, in the DID document of the issuer */
                readonly verificationMethod: string;
                /** @description Always assertionMethod */
                readonly proofPurpose: string;
                /** @description The signature, multibase */
                readonly proofValue: string;
            };
        };
        readonly GetIssuerDidDocumentInput: {
            /** @description Id of the issuer, as in its DID */
            readonly issuerId: string;
        };
        readonly IssuerDidDocument: {
            /** @description JSON-LD contexts */
            readonly "@context": readonly unknown[];
            /** @description DID of the issuer */
            readonly id: string;
            /** @description DID of this service */
            readonly controller: string;
            /** @description All its keys; the first one signs */
            readonly verificationMethod: readonly {
                /** @description Id of the key */
                readonly id: string;
                /** @description Always Multikey */
                readonly type: string;
                /** @description DID of the issuer */
                readonly controller: string;
                /** @description The public Ed25519 key */
                readonly publicKeyMultibase: string;
            }[];
            /** @description Ids of the keys that sign credentials */
            readonly assertionMethod: readonly string[];
        };
        readonly ServiceDidDocument: {
            /** @description JSON-LD contexts */
            readonly "@context": readonly unknown[];
            /** @description DID of this service */
            readonly id: string;
            /** @description Where it is */
            readonly service: readonly {
                /** @description Id of the entry */
                readonly id: string;
                /** @description Always LinkedDomains */
                readonly type: string;
                /** @description Scheme and host of this service */
                readonly serviceEndpoint: string;
            }[];
        };
        readonly ResolveProductInput: {
            /** @description GTIN of 8, 12, 13 or 14 digits, with its check digit */
            readonly gtin: string;
            /** @description Serial number, up to 20 characters of GS1 */
            readonly serial: string;
            /** @description `linkset` for all links, or the type of a link: gs1:defaultLink, gs1:certificationInfo, gs1:pip. `all` is the former name of `linkset` */
            readonly linkType?: string;
        };
        readonly Linkset: {
            /** @description One entry: the product */
            readonly linkset: readonly {
                /** @description GS1 Digital Link of the product */
                readonly anchor: string;
                /** @description Name of the newest certificate */
                readonly itemDescription: string;
                /** @description The check of the certificate */
                readonly "https://ref.gs1.org/voc/defaultLink"?: readonly components["schemas"]["LinkTarget"][];
                /** @description The check and the credential, by what is accepted */
                readonly "https://ref.gs1.org/voc/defaultLinkMulti"?: readonly components["schemas"]["LinkTarget"][];
                /** @description The valid certificates */
                readonly "https://ref.gs1.org/voc/certificationInfo"?: readonly components["schemas"]["LinkTarget"][];
                /** @description Its page about the product */
                readonly "https://ref.gs1.org/voc/pip"?: readonly components["schemas"]["LinkTarget"][];
            }[];
        };
        readonly LinkTarget: {
            /** @description Where it leads */
            readonly href: string;
            /** @description Name of the token */
            readonly title: string;
            /** @description Media type */
            readonly type: string;
        };
        readonly ResolverDescription: {
            /** @description Name of the resolver */
            readonly name: string;
            /** @description Scheme and host of the resolver */
            readonly resolverRoot: string;
            /** @description Application identifiers of GS1: GTIN */
            readonly supportedPrimaryKeys: readonly "01"[];
            /** @description Types of links that are given */
            readonly supportedLinkType: readonly {
                /** @description Where the types of links are defined */
                readonly namespace: string;
                /** @description What stands for it */
                readonly prefix: string;
            }[];
            /** @description Whether a linkset can be the default link */
            readonly linkTypeDefaultCanBeLinkset: boolean;
            /** @description Who operates it */
            readonly contact: {
                /** @description Name */
                readonly fn: string;
            };
        };
        readonly OpenClaimInput: {
            /** @description Id of the claim, from its link */
            readonly id: string;
        } & components["schemas"]["OpenClaim"];
        readonly OpenClaim: {
            /** @description The part of the link after # */
            readonly secret: string;
        };
        readonly LinkedClaim: {
            /** @description Id of the claim, and of its minting order */
            readonly id: string;
            /**
             * @description OPEN: anyone with the link can name the receiver. CLAIMED: it was named; see orderStatus. CANCELLED: it was cancelled first. EXPIRED: nobody named it in time. BLOCKED: too many wrong PINs were sent
             * @enum {string}
             */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description When it expires, UTC */
            readonly expiresAt: string;
            /** @description Who gets the token; null until it is claimed */
            readonly receiverAddress: string | null;
            /**
             * @description State of the mint; null until it is claimed. PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string|null}
             */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Who issues it, as confirmed by the operator; null if not confirmed, or if the contract is not known to have published code */
            readonly issuer: {
                /** @description Public name */
                readonly name: string;
                /** @description URL of its logo, https */
                readonly logoUrl: string;
                /** @description Its domain, in lower case */
                readonly domain: string;
            } | null;
            /** @description The wallet that mints it */
            readonly walletAddress: string;
            /** @description Name of the contract */
            readonly contractName: string | null;
            /**
             * @description Kind of token
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /** @description Whether it can never be transferred */
            readonly isCertificate: boolean;
            /** @description Of the token */
            readonly name: string;
            /** @description Of the token */
            readonly description: string | null;
            /** @description Of the token */
            readonly imageUrl: string;
            /** @description Whether a PIN is needed to claim it */
            readonly needsPin: boolean;
        };
        readonly ClaimTokenInput: {
            /** @description Id of the claim, from its link */
            readonly id: string;
        } & components["schemas"]["ClaimToken"];
        readonly ClaimToken: {
            /** @description The part of the link after # */
            readonly secret: string;
            /** @description Who gets the token; neither the zero address nor the contract itself */
            readonly receiverAddress: string;
            /** @description If it needs one */
            readonly pin?: string;
        };
        readonly DeployContract: {
            /** @description Chain id, decimal */
            readonly chainId?: string;
            /** @description Name of the contract on chain */
            readonly name: string;
            /** @description Symbol of the contract on chain */
            readonly symbol: string;
            /** @description Owner right after the deployment. Default: the account's signing wallet */
            readonly currentOwnerAddress?: string;
            /**
             * @description Token standard: ERC-721 or ERC-1155
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /**
             * @description standard: tokens can be transferred. certificate: they cannot
             * @enum {string}
             */
            readonly contractType: "standard" | "certificate";
            /** @description ERC-2981 receiver. Default: currentOwnerAddress. Ignored for certificates */
            readonly royaltyReceiver?: string;
            /**
             * @description Royalty, in basis points of the price. Ignored for certificates
             * @default 0
             */
            readonly royaltyFeeBps?: number;
            /** @description Token URIs are this, the contract address and the token id. Default: METADATA_BASE_URI. Ignored for certificates */
            readonly metadataBaseUri?: string;
            /**
             * @description Who may burn the certificates, fixed at deployment (ERC-5484): their holder, their issuer by revoking them, both or neither. Default: holder, and then you can never revoke one. Certificates only
             * @enum {string}
             */
            readonly burnAuth?: "issuer" | "holder" | "both" | "neither";
            /** @description Fixed at deployment. Default: TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain. The zero address: none */
            readonly trustedForwarder?: string;
            /** @description The final owner. The account's signing wallet transfers the ownership, so it must be the first owner */
            readonly transferOwnerAddress?: string;
        };
        readonly DeployedContract: {
            /** @description Id of the contract */
            readonly _id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description ERC-721 name; null for a forwarder */
            readonly name: string | null;
            /** @description ERC-721 symbol; null for a forwarder */
            readonly symbol: string | null;
            /** @description Display name of a forwarder, otherwise null */
            readonly alias: string | null;
            /**
             * @description Token standard, or Forwarder for an EIP-2771 forwarder
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155" | "Forwarder";
            /**
             * @description standard: tokens can be transferred. certificate: they cannot. null for a forwarder
             * @enum {string|null}
             */
            readonly contractType: "standard" | "certificate" | null;
            /**
             * @description DEPLOYING: accepted. ACTIVE: on chain. FAILED: it never will be; errorMessage says why. WAITING_FOR_APPROVAL: a second person must approve it
             * @enum {string}
             */
            readonly status: "DEPLOYING" | "ACTIVE" | "FAILED" | "WAITING_FOR_APPROVAL";
            /** @description Who administers the contract */
            readonly currentOwnerAddress: string | null;
            /** @description ERC-2981 receiver; null for none */
            readonly royaltyReceiver: string | null;
            /** @description Royalty, in basis points of the price */
            readonly royaltyFeeBps: number | null;
            /** @description Token URIs are this, the contract address and the token id, unless `setBaseURI` was called outside this service; null for none and for certificates */
            readonly metadataBaseUri: string | null;
            /** @description Fixed at deployment; with null the contract can never be used gaslessly. Not recorded for a registered contract */
            readonly trustedForwarder: string | null;
            /**
             * @description Who may burn its certificates, fixed at deployment: their holder, their issuer by revoking them, both or neither. Null for a contract of other tokens, and if it is not known, as of a contract from elsewhere, where `burnAuth(tokenId)` may say it
             * @enum {string|null}
             */
            readonly burnAuth: "issuer" | "holder" | "both" | "neither" | null;
            /** @description Who becomes the owner after the deployment; null for nobody */
            readonly transferOwnerAddress: string | null;
            /** @description In lower case; null until ACTIVE */
            readonly contractAddress: string | null;
            /** @description What the index of transfers knows about the contract; null for a forwarder, and until it is first read */
            readonly onChain: {
                /** @description The owner that the contract last reported, in lower case; null if it has reported none. If it differs from currentOwnerAddress, it was set outside this service */
                readonly ownerAddress: string | null;
                /** @description The block up to which `GET /holdings` covers its transfers */
                readonly blockNumber: number;
                /**
                 * @description Why its holdings are incomplete; null if they are complete. TOO_MANY_TRANSFERS: it reports more transfers in a block than are stored. UNREADABLE: nodes do not return its logs of a block. RANGES: it reports transfers of ranges of tokens (ERC-2309). REGISTERED_LATER: transfers before its registration are not read
                 * @enum {string|null}
                 */
                readonly incomplete: "TOO_MANY_TRANSFERS" | "UNREADABLE" | "RANGES" | "REGISTERED_LATER" | null;
            } | null;
            /**
             * @description Whether this service deployed the contract, or POST /contracts/register added it
             * @enum {string}
             */
            readonly origin: "deployed" | "registered";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly deployTxHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly deployGasUsed: string | null;
            /** @description The corporateId of the account */
            readonly corporateId: string;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly DeployForwarder: {
            /** @description Chain id, decimal */
            readonly chainId?: string;
            /** @description A display name */
            readonly alias: string;
        };
        readonly TransferOwnership: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Who becomes the owner; not the zero address */
            readonly newOwnerAddress: string;
        };
        readonly OwnershipTransfer: {
            /** @description Id of the ownership transfer */
            readonly jobId: string;
            /** @description Id of the contract */
            readonly contractId: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who becomes the owner of the contract */
            readonly newOwner: string;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request. WAITING_FOR_APPROVAL: a second person must approve it
             * @enum {string}
             */
            readonly status: "QUEUED" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | "WAITING_FOR_APPROVAL";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly transferGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly GetOwnershipTransferInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly NotifyChain: {
            /** @description `_id` of the metadata of a token, or contractId instead. It must be linked to a token */
            readonly metadataId?: string;
            /** @description `_id` of a contract, for the metadata of its collection, or metadataId instead */
            readonly contractId?: string;
        };
        readonly ChainNotification: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Id of the contract */
            readonly contractId: string;
            /** @description Id of the metadata of a token that has changed; null for a collection */
            readonly metadataId: string | null;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id, decimal; null for a collection */
            readonly tokenId: string | null;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly notificationGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly GetChainNotificationInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly SetBaseUri: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token URIs are this, the contract address and the token id. Default: METADATA_BASE_URI, or without that /metadata on the origin of the request */
            readonly metadataBaseUri?: string;
        };
        readonly BaseUriChange: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Id of the contract */
            readonly contractId: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description The base URI that was ordered */
            readonly metadataBaseUri: string;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly baseUriGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly GetBaseUriChangeInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CreateMintingOrder: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Who gets the token; not the zero address */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: required */
            readonly amount?: number;
            /** @description `_id` of the metadata */
            readonly metadataId: string;
            /** @description Where the document is. Required for a certificate; otherwise ignored */
            readonly tokenUri?: string;
            /** @description Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash */
            readonly metadataHash?: string;
            /**
             * @description Ignored: replies have it
             * @enum {string}
             */
            readonly mode?: "direct" | "relay";
        };
        readonly MintingOrder: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who gets the token; the zero address while nobody has claimed it by its link */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /**
             * @description direct: the account's wallet mints. relay: the contract's owner signed, the account's wallet pays
             * @enum {string}
             */
            readonly mode: "direct" | "relay";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas: of a transaction that carried out several orders, this one's share; null until it is mined */
            readonly mintingGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly CreateMintingOrders: {
            /** @description Each in the form of POST /minting/order */
            readonly orders: readonly components["schemas"]["CreateMintingOrder"][];
        };
        readonly MintingOrdersResult: {
            /** @description How many were accepted */
            readonly accepted: number;
            /** @description How many were rejected */
            readonly refused: number;
            /** @description In the order of the request */
            readonly results: readonly ({
                /** @description Index of the order in the request, from 0 */
                readonly index: number;
                /**
                 * @description HTTP status that it would get on its own
                 * @enum {number}
                 */
                readonly statusCode: 201;
                readonly order: components["schemas"]["MintingOrder"];
            } | components["schemas"]["MintingOrderRefusal"])[];
        };
        readonly MintingOrderRefusal: {
            /** @description HTTP status that it would get on its own */
            readonly statusCode: number;
            /**
             * @description What is wrong, for programs: the list of codes is in the introduction. Codes can be added, but never change
             * @enum {string}
             */
            readonly code: "invalid_input" | "metadata_invalid" | "malformed_body" | "call_reverted" | "unauthenticated" | "api_key_missing" | "api_key_invalid" | "bearer_not_supported" | "admin_key_missing" | "admin_key_invalid" | "account_header_missing" | "forbidden" | "account_inactive" | "scope_missing" | "address_not_allowed" | "wrong_chain_kind" | "limit_forbids" | "wrong_pin" | "test_signatures_disabled" | "not_found" | "contract_not_active" | "route_not_found" | "method_not_allowed" | "body_too_slow" | "conflict" | "token_unavailable" | "not_owner" | "claim_not_open" | "idempotency_key_in_use" | "version_outdated" | "version_required" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "limit_reached" | "internal_error" | "upstream_failed" | "chain_unavailable" | "service_unavailable" | "temporarily_unavailable";
            /** @description Why, in words */
            readonly message: string;
            /** @description Everything wrong with the item */
            readonly errors?: readonly {
                /** @description Where in the input; for metadata, in the form of JSONPath */
                readonly path: string;
                /**
                 * @description What is wrong, for programs
                 * @enum {string}
                 */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                /** @description What is wrong, in words */
                readonly message: string;
                /** @description Metadata only: the schema that was applied */
                readonly schemaVersion?: string | null;
                /** @description Metadata only: utility.type */
                readonly type?: string | null;
            }[];
            /** @description Only with 429: seconds until the item can succeed */
            readonly retryAfterSeconds?: number;
            /** @description Index of the order in the request, from 0 */
            readonly index: number;
        };
        readonly SignMint: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Who gets the token; not the zero address */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description `_id` of the metadata */
            readonly metadataId: string;
            /** @description Where the document is. Required for a certificate; otherwise ignored */
            readonly tokenUri?: string;
            /** @description Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash */
            readonly metadataHash?: string;
            /** @description Signer; must be the contract's owner, or the mint fails */
            readonly from: string;
            /** @description Default: the signer's next nonce at the forwarder */
            readonly forwarderNonce?: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /**
             * @description Units of gas of the inner call, as signed
             * @default 500000
             */
            readonly gasLimit?: number | string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
            /** @description Key of `from`. Default: LOCAL_DEV_PRIVATE_KEY. For tests only */
            readonly privateKey?: string;
        };
        readonly MintSignature: {
            /** @description EIP-712 domain */
            readonly domain: {
                /**
                 * @description Name of the forwarder
                 * @enum {string}
                 */
                readonly name: "MinimalForwarder";
                /**
                 * @description Version of the forwarder
                 * @enum {string}
                 */
                readonly version: "1.0";
                /** @description Chain id */
                readonly chainId: number;
                /** @description Address of the forwarder */
                readonly verifyingContract: string;
            };
            /** @description EIP-712 types */
            readonly types: {
                /** @description Fields of the request, in order */
                readonly ForwardRequest: readonly {
                    /** @description Name of the field */
                    readonly name: string;
                    /** @description Solidity type of the field */
                    readonly type: string;
                }[];
            };
            /** @description The message to sign, in EIP-712 form */
            readonly request: {
                /** @description Signer */
                readonly from: string;
                /** @description Contract that the forwarder calls */
                readonly to: string;
                /** @description Coins sent along, in wei */
                readonly value: string;
                /** @description Units of gas for the call: the `gasLimit` of the signed request */
                readonly gas: string;
                /** @description The signer's nonce at the forwarder: the `forwarderNonce` of the signed request */
                readonly nonce: string;
                /** @description Calldata, in hex; the deadline follows it if there is one */
                readonly data: string;
            };
            /** @description EIP-712 signature: r, s and v */
            readonly signature: string;
            /** @description The forwarder, for POST /minting/relay */
            readonly forwarderAddress: string;
        };
        readonly PrepareMint: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Who gets the token; not the zero address */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description `_id` of the metadata */
            readonly metadataId: string;
            /** @description Where the document is. Required for a certificate; otherwise ignored */
            readonly tokenUri?: string;
            /** @description Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash */
            readonly metadataHash?: string;
            /** @description Signer; must be the contract's owner, or the mint fails */
            readonly from: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description Default: the signer's next nonce. A later one prepares a request that will be executed after others */
            readonly forwarderNonce?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
        };
        readonly PreparedRequest: {
            /** @description EIP-712 domain */
            readonly domain: {
                /**
                 * @description Name of the forwarder
                 * @enum {string}
                 */
                readonly name: "MinimalForwarder";
                /**
                 * @description Version of the forwarder
                 * @enum {string}
                 */
                readonly version: "1.0";
                /** @description Chain id */
                readonly chainId: number;
                /** @description Address of the forwarder */
                readonly verifyingContract: string;
            };
            /** @description EIP-712 types */
            readonly types: {
                /** @description Fields of the request, in order */
                readonly ForwardRequest: readonly {
                    /** @description Name of the field */
                    readonly name: string;
                    /** @description Solidity type of the field */
                    readonly type: string;
                }[];
            };
            /** @description The message to sign, in EIP-712 form */
            readonly request: {
                /** @description Signer */
                readonly from: string;
                /** @description Contract that the forwarder calls */
                readonly to: string;
                /** @description Coins sent along, in wei */
                readonly value: string;
                /** @description Units of gas for the call: the `gasLimit` of the signed request */
                readonly gas: string;
                /** @description The signer's nonce at the forwarder: the `forwarderNonce` of the signed request */
                readonly nonce: string;
                /** @description Calldata, in hex; the deadline follows it if there is one */
                readonly data: string;
            };
            /**
             * @description EIP-712 primary type
             * @enum {string}
             */
            readonly primaryType: "ForwardRequest";
            /** @description Send it along with the signature. Only this service keeps it, not the forwarder: anyone who has the signature can submit it there later. Null for none */
            readonly deadline: string | null;
        };
        readonly RelayMint: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Who gets the token; not the zero address */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description `_id` of the metadata */
            readonly metadataId: string;
            /** @description Where the document is. Required for a certificate; otherwise ignored */
            readonly tokenUri?: string;
            /** @description Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash */
            readonly metadataHash?: string;
            /** @description Signer; must be the contract's owner, or the mint fails */
            readonly from: string;
            /** @description Default: the signer's next nonce at the forwarder */
            readonly forwarderNonce?: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /**
             * @description Units of gas of the inner call, as signed
             * @default 500000
             */
            readonly gasLimit?: number | string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
            /** @description The result of eth_signTypedData_v4 */
            readonly signature: string;
        };
        readonly RelayedMintingOrder: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who gets the token; the zero address while nobody has claimed it by its link */
            readonly receiverAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "QUEUED" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /**
             * @description direct: the account's wallet mints. relay: the contract's owner signed, the account's wallet pays
             * @enum {string}
             */
            readonly mode: "direct" | "relay";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas: of a transaction that carried out several orders, this one's share; null until it is mined */
            readonly mintingGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly CheckOccupancy: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Also checks conflicts with this metadata */
            readonly metadataId?: string;
        };
        readonly Occupancy: {
            /** @description An order with these values would be accepted */
            readonly available: boolean;
            /**
             * @description Token standard of the contract
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /** @description Why it is unavailable; empty if it is available */
            readonly reasons: readonly string[];
            /** @description Hints */
            readonly notes: readonly string[];
            /** @description Orders for the token id, including past ones */
            readonly activeOrderCount: number;
            /** @description Where the metadata is linked; null without metadataId */
            readonly metadataContext: {
                /** @description The metadata of the request */
                readonly metadataId: string;
                /** @description Contract that it is linked to; null if it is free */
                readonly linkedContractAddress: string | null;
                /** @description Token that it is linked to; null if it is free */
                readonly linkedTokenId: string | null;
            } | null;
        };
        readonly ListMintingOrdersInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Only of this contract */
            readonly contractAddress?: string;
            /** @description Only what this transaction executed */
            readonly txHash?: string;
            /** @description Only to this receiver */
            readonly receiverAddress?: string;
        };
        readonly ListMintingOrdersReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["MintingOrder"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly GetMintingOrderByTransactionInput: {
            /** @description Transaction hash, in any letter case */
            readonly txHash: string;
        };
        readonly ListMintingOrdersOfTokenInput: {
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
        };
        readonly ListMintingOrdersOfTokenReply: readonly components["schemas"]["MintingOrder"][];
        readonly GetMintingOrderInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CreateClaim: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: required */
            readonly amount?: number;
            /** @description `_id` of the metadata */
            readonly metadataId: string;
            /** @description Where the document is. Required for a certificate; otherwise ignored */
            readonly tokenUri?: string;
            /** @description Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash */
            readonly metadataHash?: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId?: string;
            /** @description Instead of tokenId: the lowest of these ids that no order of the account has, not counting FAILED and CANCELLED ones. At most 10000 ids; not for certificates */
            readonly tokenIds?: {
                /** @description The lowest, decimal */
                readonly from: string;
                /** @description The highest, decimal */
                readonly to: string;
            };
            /** @description When it expires: a minute to 365 days from now. Default: 30 days */
            readonly expiresAt?: string;
            /** @description Required in addition to the link, 4 to 12 digits: send it separately */
            readonly pin?: string;
        };
        readonly NewClaim: {
            /** @description Id of the claim, and of its minting order */
            readonly id: string;
            /**
             * @description OPEN: anyone with the link can name the receiver. CLAIMED: it was named; see orderStatus. CANCELLED: it was cancelled first. EXPIRED: nobody named it in time. BLOCKED: too many wrong PINs were sent
             * @enum {string}
             */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description When it expires, UTC */
            readonly expiresAt: string;
            /** @description Who gets the token; null until it is claimed */
            readonly receiverAddress: string | null;
            /**
             * @description State of the mint; null until it is claimed. PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string|null}
             */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
            /** @description Whether a PIN is needed */
            readonly hasPin: boolean;
            /** @description How many wrong PINs were sent; ten block the claim */
            readonly pinFailures: number;
            /** @description When the receiver was named, UTC; null until then */
            readonly claimedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description The link for the holder. Only this reply has it: null if an earlier attempt made the claim, and its reply is not stored */
            readonly url: string | null;
        };
        readonly ListClaimsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            /** @description Only of this contract */
            readonly contractAddress?: string;
        };
        readonly ListClaimsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["Claim"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly Claim: {
            /** @description Id of the claim, and of its minting order */
            readonly id: string;
            /**
             * @description OPEN: anyone with the link can name the receiver. CLAIMED: it was named; see orderStatus. CANCELLED: it was cancelled first. EXPIRED: nobody named it in time. BLOCKED: too many wrong PINs were sent
             * @enum {string}
             */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description When it expires, UTC */
            readonly expiresAt: string;
            /** @description Who gets the token; null until it is claimed */
            readonly receiverAddress: string | null;
            /**
             * @description State of the mint; null until it is claimed. PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string|null}
             */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
            /** @description Whether a PIN is needed */
            readonly hasPin: boolean;
            /** @description How many wrong PINs were sent; ten block the claim */
            readonly pinFailures: number;
            /** @description When the receiver was named, UTC; null until then */
            readonly claimedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
        };
        readonly CreateClaims: {
            /** @description Each in the form of POST /claims */
            readonly claims: readonly components["schemas"]["CreateClaim"][];
        };
        readonly ClaimsResult: {
            /** @description How many were accepted */
            readonly accepted: number;
            /** @description How many were rejected */
            readonly refused: number;
            /** @description In the order of the request */
            readonly results: readonly ({
                /** @description Index of the claim in the request, from 0 */
                readonly index: number;
                /**
                 * @description HTTP status that it would get on its own
                 * @enum {number}
                 */
                readonly statusCode: 201;
                readonly claim: components["schemas"]["NewClaim"];
            } | components["schemas"]["ClaimRefusal"])[];
        };
        readonly ClaimRefusal: {
            /** @description HTTP status that it would get on its own */
            readonly statusCode: number;
            /**
             * @description What is wrong, for programs: the list of codes is in the introduction. Codes can be added, but never change
             * @enum {string}
             */
            readonly code: "invalid_input" | "metadata_invalid" | "malformed_body" | "call_reverted" | "unauthenticated" | "api_key_missing" | "api_key_invalid" | "bearer_not_supported" | "admin_key_missing" | "admin_key_invalid" | "account_header_missing" | "forbidden" | "account_inactive" | "scope_missing" | "address_not_allowed" | "wrong_chain_kind" | "limit_forbids" | "wrong_pin" | "test_signatures_disabled" | "not_found" | "contract_not_active" | "route_not_found" | "method_not_allowed" | "body_too_slow" | "conflict" | "token_unavailable" | "not_owner" | "claim_not_open" | "idempotency_key_in_use" | "version_outdated" | "version_required" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "limit_reached" | "internal_error" | "upstream_failed" | "chain_unavailable" | "service_unavailable" | "temporarily_unavailable";
            /** @description Why, in words */
            readonly message: string;
            /** @description Everything wrong with the item */
            readonly errors?: readonly {
                /** @description Where in the input; for metadata, in the form of JSONPath */
                readonly path: string;
                /**
                 * @description What is wrong, for programs
                 * @enum {string}
                 */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                /** @description What is wrong, in words */
                readonly message: string;
                /** @description Metadata only: the schema that was applied */
                readonly schemaVersion?: string | null;
                /** @description Metadata only: utility.type */
                readonly type?: string | null;
            }[];
            /** @description Only with 429: seconds until the item can succeed */
            readonly retryAfterSeconds?: number;
            /** @description Index of the claim in the request, from 0 */
            readonly index: number;
        };
        readonly GetClaimInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CancelClaimInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly SignTransfer: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard. Required unless the contract is one of the account's
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155";
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description Holder and signer */
            readonly from: string;
            /** @description Who gets the token; not the zero address */
            readonly to: string;
            /**
             * @description Units of gas of the inner call, as signed
             * @default 500000
             */
            readonly gasLimit?: number | string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
            /** @description Key of `from`. Default: LOCAL_DEV_PRIVATE_KEY. For tests only */
            readonly privateKey?: string;
            /** @description Ignored */
            readonly note?: string;
        };
        readonly TransferSignature: {
            /** @description EIP-712 domain */
            readonly domain: {
                /**
                 * @description Name of the forwarder
                 * @enum {string}
                 */
                readonly name: "MinimalForwarder";
                /**
                 * @description Version of the forwarder
                 * @enum {string}
                 */
                readonly version: "1.0";
                /** @description Chain id */
                readonly chainId: number;
                /** @description Address of the forwarder */
                readonly verifyingContract: string;
            };
            /** @description EIP-712 types */
            readonly types: {
                /** @description Fields of the request, in order */
                readonly ForwardRequest: readonly {
                    /** @description Name of the field */
                    readonly name: string;
                    /** @description Solidity type of the field */
                    readonly type: string;
                }[];
            };
            /** @description The message to sign, in EIP-712 form */
            readonly request: {
                /** @description Signer */
                readonly from: string;
                /** @description Contract that the forwarder calls */
                readonly to: string;
                /** @description Coins sent along, in wei */
                readonly value: string;
                /** @description Units of gas for the call: the `gasLimit` of the signed request */
                readonly gas: string;
                /** @description The signer's nonce at the forwarder: the `forwarderNonce` of the signed request */
                readonly nonce: string;
                /** @description Calldata, in hex; the deadline follows it if there is one */
                readonly data: string;
            };
            /** @description EIP-712 signature: r, s and v */
            readonly signature: string;
        };
        readonly PrepareTransferInput: components["schemas"]["PrepareTransfer"] | {
            /**
             * @description Uses up the nonce of a request that its signer revokes
             * @enum {string}
             */
            readonly purpose: "cancel";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description That of the revoked request */
            readonly contractAddress: string;
            /** @description The signer */
            readonly from: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description That of the revoked request. Default: the signer's lowest unused nonce at the forwarder */
            readonly forwarderNonce?: string;
            /** @description Ignored: from the revoked request */
            readonly ercStandard?: unknown;
            /** @description Ignored: from the revoked request */
            readonly tokenId?: unknown;
            /** @description Ignored: from the revoked request */
            readonly amount?: unknown;
            /** @description Ignored: from the revoked request */
            readonly to?: unknown;
            /** @description Ignored: from the revoked request */
            readonly gasLimit?: unknown;
            /** @description Ignored: from the revoked request */
            readonly deadline?: unknown;
            /** @description Ignored: from the revoked request */
            readonly signature?: unknown;
        };
        readonly PrepareTransfer: {
            /**
             * @description A transfer; default
             * @enum {string}
             */
            readonly purpose?: "transfer";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard. Required unless the contract is one of the account's
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155";
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description Holder and signer */
            readonly from: string;
            /** @description Who gets the token; not the zero address */
            readonly to: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description Default: the signer's next nonce. A later one prepares a request that will be executed after others */
            readonly forwarderNonce?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
        };
        readonly ExecuteTransferInput: components["schemas"]["ExecuteTransfer"] | {
            /**
             * @description Uses up the nonce of a request that its signer revokes
             * @enum {string}
             */
            readonly purpose: "cancel";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description That of the revoked request */
            readonly contractAddress: string;
            /** @description The signer */
            readonly from: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description That of the revoked request. Default: the signer's lowest unused nonce at the forwarder */
            readonly forwarderNonce?: string;
            /** @description Ignored: from the revoked request */
            readonly ercStandard?: unknown;
            /** @description Ignored: from the revoked request */
            readonly tokenId?: unknown;
            /** @description Ignored: from the revoked request */
            readonly amount?: unknown;
            /** @description Ignored: from the revoked request */
            readonly to?: unknown;
            /** @description Ignored: from the revoked request */
            readonly gasLimit?: unknown;
            /** @description Ignored: from the revoked request */
            readonly deadline?: unknown;
            /** @description The result of eth_signTypedData_v4 */
            readonly signature: string;
        };
        readonly ExecuteTransfer: {
            /**
             * @description A transfer; default
             * @enum {string}
             */
            readonly purpose?: "transfer";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard. Required unless the contract is one of the account's
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155";
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description Holder and signer */
            readonly from: string;
            /** @description Who gets the token; not the zero address */
            readonly to: string;
            /**
             * @description Units of gas of the inner call, as signed
             * @default 500000
             */
            readonly gasLimit?: number | string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
            /** @description The result of eth_signTypedData_v4 */
            readonly signature: string;
            /** @description Default: the signer's next nonce at the forwarder */
            readonly forwarderNonce?: string;
        };
        readonly TransferOrder: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /**
             * @description cancel: it only uses up the nonce of a request that its signer has given up; to, tokenId, amount and ercStandard are null
             * @enum {string}
             */
            readonly purpose: "transfer" | "cancel";
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who holds the token and signed the request */
            readonly from: string;
            /** @description Who gets the token; null for a cancel */
            readonly to: string | null;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string | null;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number | null;
            /**
             * @description Token standard: ERC-721 or ERC-1155
             * @enum {string|null}
             */
            readonly ercStandard: "721" | "1155" | null;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly transferGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly ListTransferOrdersInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Only of this contract */
            readonly contractAddress?: string;
            /** @description Only what this transaction executed */
            readonly txHash?: string;
            /** @description Only of this holder */
            readonly from?: string;
        };
        readonly ListTransferOrdersReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["TransferOrder"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly GetTransferOrderByTransactionInput: {
            /** @description Transaction hash, in any letter case */
            readonly txHash: string;
        };
        readonly GetTransferOrderInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly PrepareBurn: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard. Required unless the contract is one of the account's
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155";
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description Holder and signer */
            readonly from: string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description Default: the signer's next nonce. A later one prepares a request that will be executed after others */
            readonly forwarderNonce?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
        };
        readonly ExecuteBurn: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard. Required unless the contract is one of the account's
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155";
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens. ERC-721: absent or 1. ERC-1155: default 1 */
            readonly amount?: number;
            /** @description Holder and signer */
            readonly from: string;
            /**
             * @description Units of gas of the inner call, as signed
             * @default 500000
             */
            readonly gasLimit?: number | string;
            /** @description Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain */
            readonly forwarderAddress?: string;
            /** @description After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none */
            readonly deadline?: string | null;
            /** @description The result of eth_signTypedData_v4 */
            readonly signature: string;
            /** @description Default: the signer's next nonce at the forwarder */
            readonly forwarderNonce?: string;
        };
        readonly BurnOrder: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who holds the token and signed the request */
            readonly from: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /**
             * @description Token standard: ERC-721 or ERC-1155
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly burnGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly ListBurnOrdersInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Only of this contract */
            readonly contractAddress?: string;
            /** @description Only what this transaction executed */
            readonly txHash?: string;
            /** @description Only of this holder */
            readonly from?: string;
        };
        readonly ListBurnOrdersReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["BurnOrder"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly GetBurnOrderByTransactionInput: {
            /** @description Transaction hash, in any letter case */
            readonly txHash: string;
        };
        readonly GetBurnOrderInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly RevokeCertificate: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Who holds the certificate */
            readonly from: string;
            /** @description Number of units. ERC-721: absent or 1. ERC-1155: required */
            readonly amount?: number;
            /** @description Why it is revoked. Anyone can read it here and in the certificate check, but it is not on the chain */
            readonly reason: string;
        };
        readonly CertificateRevocation: {
            /** @description Id of the order */
            readonly id: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Who held the certificate */
            readonly from: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of units; 1 for ERC-721 */
            readonly amount: number;
            /**
             * @description Token standard: ERC-721 or ERC-1155
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /** @description Why it was revoked, as ordered. It is public, but not on the chain */
            readonly reason: string;
            /**
             * @description PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Transaction hash, in lower case; null until it is mined */
            readonly txHash: string | null;
            /** @description Units of gas; null until it is mined */
            readonly revocationGasUsed: string | null;
            /** @description The order's gas times gas price, in the chain's native coin */
            readonly totalFeeNative: string | null;
            /** @description US dollars for one coin when it ended */
            readonly nativePriceUsd: number | null;
            /** @description The fee in US dollars */
            readonly totalFeeUsd: number | null;
            /** @description Won for one coin when it ended */
            readonly nativePriceKrw: number | null;
            /** @description The fee in won */
            readonly totalFeeKrw: number | null;
            /** @description Why it failed; null if it did not */
            readonly errorMessage: string | null;
            /** @description Why it is not signed now; null if nothing holds it */
            readonly hold: {
                /**
                 * @description NOT_NOW: it is not known yet whether it can succeed. FUNDS: the wallet cannot pay. FEE_CAP: fees are above the cap. INACTIVE: the account is. PAUSED: by the operator. LIMIT: a limit of the account. EARLIER_REQUEST: an earlier request of the signer has not ended, or the revocation of a reissue is not CONFIRMED
                 * @enum {string}
                 */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                /** @description The reason in words */
                readonly detail: string;
                /** @description Held since, UTC */
                readonly since: string;
            } | null;
            /** @description When its cancellation was requested, UTC; null if it was not */
            readonly cancelRequestedAt: string | null;
            /** @description When it ended, UTC; null until then */
            readonly completedAt: string | null;
            /** @description When it was accepted, UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly ListCertificateRevocationsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @description Only of this contract */
            readonly contractAddress?: string;
            /** @description Only what this transaction executed */
            readonly txHash?: string;
            /** @description Only of this former holder */
            readonly from?: string;
        };
        readonly ListCertificateRevocationsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["CertificateRevocation"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly RevokeCertificates: {
            /** @description Each in the form of POST /certificates/revoke */
            readonly revocations: readonly components["schemas"]["RevokeCertificate"][];
        };
        readonly CertificateRevocationsResult: {
            /** @description How many were accepted */
            readonly accepted: number;
            /** @description How many were rejected */
            readonly refused: number;
            /** @description In the order of the request */
            readonly results: readonly ({
                /** @description Index of the revocation in the request, from 0 */
                readonly index: number;
                /**
                 * @description HTTP status that it would get on its own
                 * @enum {number}
                 */
                readonly statusCode: 201;
                readonly revocation: components["schemas"]["CertificateRevocation"];
            } | components["schemas"]["CertificateRevocationRefusal"])[];
        };
        readonly CertificateRevocationRefusal: {
            /** @description HTTP status that it would get on its own */
            readonly statusCode: number;
            /**
             * @description What is wrong, for programs: the list of codes is in the introduction. Codes can be added, but never change
             * @enum {string}
             */
            readonly code: "invalid_input" | "metadata_invalid" | "malformed_body" | "call_reverted" | "unauthenticated" | "api_key_missing" | "api_key_invalid" | "bearer_not_supported" | "admin_key_missing" | "admin_key_invalid" | "account_header_missing" | "forbidden" | "account_inactive" | "scope_missing" | "address_not_allowed" | "wrong_chain_kind" | "limit_forbids" | "wrong_pin" | "test_signatures_disabled" | "not_found" | "contract_not_active" | "route_not_found" | "method_not_allowed" | "body_too_slow" | "conflict" | "token_unavailable" | "not_owner" | "claim_not_open" | "idempotency_key_in_use" | "version_outdated" | "version_required" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "limit_reached" | "internal_error" | "upstream_failed" | "chain_unavailable" | "service_unavailable" | "temporarily_unavailable";
            /** @description Why, in words */
            readonly message: string;
            /** @description Everything wrong with the item */
            readonly errors?: readonly {
                /** @description Where in the input; for metadata, in the form of JSONPath */
                readonly path: string;
                /**
                 * @description What is wrong, for programs
                 * @enum {string}
                 */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                /** @description What is wrong, in words */
                readonly message: string;
                /** @description Metadata only: the schema that was applied */
                readonly schemaVersion?: string | null;
                /** @description Metadata only: utility.type */
                readonly type?: string | null;
            }[];
            /** @description Only with 429: seconds until the item can succeed */
            readonly retryAfterSeconds?: number;
            /** @description Index of the revocation in the request, from 0 */
            readonly index: number;
        };
        readonly GetCertificateRevocationByTransactionInput: {
            /** @description Transaction hash, in any letter case */
            readonly txHash: string;
        };
        readonly GetCertificateRevocationInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ReissueCertificate: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Who holds the certificate */
            readonly from: string;
            /** @description Number of units. ERC-721: absent or 1. ERC-1155: required */
            readonly amount?: number;
            /** @description Why it is revoked. Anyone can read it here and in the certificate check, but it is not on the chain */
            readonly reason: string;
            /** @description Who gets the certificate; not who holds it */
            readonly receiverAddress: string;
        };
        readonly ReissuedCertificate: {
            readonly revocation: components["schemas"]["CertificateRevocation"];
            readonly mint: components["schemas"]["MintingOrder"];
        };
        readonly CancelOrder: {
            /** @description Id of the order */
            readonly id: string;
        };
        readonly ListApprovalsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "WAITING_FOR_APPROVAL" | "APPROVED" | "REFUSED" | "CANCELLED" | "EXPIRED";
        };
        readonly ListApprovalsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["Approval"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly Approval: {
            /** @description The order's id: jobId of an ownership transfer, _id of a forwarder or contract */
            readonly id: string;
            /**
             * @description What must be approved
             * @enum {string}
             */
            readonly action: "TRANSFER_OWNERSHIP" | "DEPLOY_FORWARDER" | "DEPLOY_CONTRACT" | "SWITCH_OFF_APPROVALS";
            /**
             * @description Whether it is decided, and how
             * @enum {string}
             */
            readonly status: "WAITING_FOR_APPROVAL" | "APPROVED" | "REFUSED" | "CANCELLED" | "EXPIRED";
            /** @description Chain of the order; null if it is about no chain */
            readonly chainId: string | null;
            /** @description Of an ownership transfer, otherwise null */
            readonly contractAddress: string | null;
            /** @description Of an ownership transfer, otherwise null */
            readonly newOwner: string | null;
            /** @description Of a forwarder, otherwise null */
            readonly alias: string | null;
            /** @description Of a contract, the forwarder that it would trust, which is neither the configured one nor the account's; otherwise null */
            readonly trustedForwarder: string | null;
            /** @description The key that requested it; null: a global API key */
            readonly requestedBy: string | null;
            /** @description Deadline for the decision, UTC */
            readonly expiresAt: string;
            /** @description UTC; null until it is decided */
            readonly decidedAt: string | null;
            /** @description The key that decided; null with decidedAt: the operator */
            readonly decidedBy: string | null;
            /** @description When it was requested, UTC */
            readonly createdAt: string;
        };
        readonly ApprovalSetting: {
            /** @description Whether ownership transfers, forwarders and contracts that trust a foreign forwarder need a second person */
            readonly required: boolean;
        };
        readonly SetApprovals: {
            /** @description Whether ownership transfers, forwarders and contracts that trust a foreign forwarder need a second person */
            readonly required: boolean;
        };
        readonly ChangedApprovalSetting: {
            /** @description Whether ownership transfers, forwarders and contracts that trust a foreign forwarder need a second person */
            readonly required: boolean;
            /** @description What must be approved to switch it off */
            readonly approval: {
                /** @description The order's id: jobId of an ownership transfer, _id of a forwarder or contract */
                readonly id: string;
                /**
                 * @description What must be approved
                 * @enum {string}
                 */
                readonly action: "TRANSFER_OWNERSHIP" | "DEPLOY_FORWARDER" | "DEPLOY_CONTRACT" | "SWITCH_OFF_APPROVALS";
                /**
                 * @description Whether it is decided, and how
                 * @enum {string}
                 */
                readonly status: "WAITING_FOR_APPROVAL" | "APPROVED" | "REFUSED" | "CANCELLED" | "EXPIRED";
                /** @description Chain of the order; null if it is about no chain */
                readonly chainId: string | null;
                /** @description Of an ownership transfer, otherwise null */
                readonly contractAddress: string | null;
                /** @description Of an ownership transfer, otherwise null */
                readonly newOwner: string | null;
                /** @description Of a forwarder, otherwise null */
                readonly alias: string | null;
                /** @description Of a contract, the forwarder that it would trust, which is neither the configured one nor the account's; otherwise null */
                readonly trustedForwarder: string | null;
                /** @description The key that requested it; null: a global API key */
                readonly requestedBy: string | null;
                /** @description Deadline for the decision, UTC */
                readonly expiresAt: string;
                /** @description UTC; null until it is decided */
                readonly decidedAt: string | null;
                /** @description The key that decided; null with decidedAt: the operator */
                readonly decidedBy: string | null;
                /** @description When it was requested, UTC */
                readonly createdAt: string;
            } | null;
        };
        readonly GetApprovalInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ApproveRequestInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly RefuseRequestInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ReadContract: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description 20 bytes in hex; mixed case must be a valid EIP-55 checksum */
            readonly contractAddress: string;
            /** @description Name of the function */
            readonly method: string;
            /** @description Arguments; integers as decimal strings */
            readonly args?: readonly (string | number | boolean | readonly unknown[] | Record<string, unknown>)[];
            /** @description JSON ABI. Default: ERC-721, ERC-1155, ERC-20, the forwarder and the certificates */
            readonly abi?: readonly ({
                /**
                 * @description A function
                 * @enum {string}
                 */
                readonly type: "function";
                /** @description Its name */
                readonly name: string;
                /** @description Parameters */
                readonly inputs?: readonly {
                    /** @description Solidity type */
                    readonly type: string;
                    /** @description Name of the parameter */
                    readonly name?: string;
                    /** @description Members of a tuple, in this form */
                    readonly components?: readonly Record<string, unknown>[];
                }[];
                /** @description Results */
                readonly outputs?: readonly {
                    /** @description Solidity type */
                    readonly type: string;
                    /** @description Name of the parameter */
                    readonly name?: string;
                    /** @description Members of a tuple, in this form */
                    readonly components?: readonly Record<string, unknown>[];
                }[];
                /**
                 * @description Only pure and view functions can be called
                 * @enum {string}
                 */
                readonly stateMutability: "pure" | "view" | "nonpayable" | "payable";
            } | {
                /**
                 * @description An error, used to explain a revert
                 * @enum {string}
                 */
                readonly type: "error";
                /** @description Its name */
                readonly name: string;
                /** @description Parameters */
                readonly inputs?: readonly {
                    /** @description Solidity type */
                    readonly type: string;
                    /** @description Name of the parameter */
                    readonly name?: string;
                    /** @description Members of a tuple, in this form */
                    readonly components?: readonly Record<string, unknown>[];
                }[];
            } | {
                /**
                 * @description Ignored, with all its members
                 * @enum {string}
                 */
                readonly type: "event" | "constructor" | "receive" | "fallback";
            })[];
        };
        readonly ReadContractReply: string | boolean | readonly unknown[] | Record<string, unknown> | null;
        readonly RegisterContract: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in any letter case */
            readonly contractAddress: string;
            /**
             * @description Token standard: ERC-721 or ERC-1155
             * @enum {string}
             */
            readonly ercStandard: "721" | "1155";
            /**
             * @description standard: tokens can be transferred. certificate: they cannot
             * @enum {string}
             */
            readonly contractType: "standard" | "certificate";
        };
        readonly ListContractsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "DEPLOYING" | "ACTIVE" | "FAILED" | "WAITING_FOR_APPROVAL";
            /**
             * @description Only of this standard
             * @enum {string}
             */
            readonly ercStandard?: "721" | "1155" | "Forwarder";
            /** @description Only on this chain */
            readonly chainId?: string;
        };
        readonly ListContractsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["DeployedContract"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly GetContractInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly UnregisterContractInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly GetCollectionMetadataInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CollectionMetadata: {
            /** @description Id of the contract */
            readonly contractId: string;
            /** @description From 1; raised by every change */
            readonly version: number;
            /** @description Name of the collection */
            readonly name: string;
            /** @description Its symbol; null for none */
            readonly symbol: string | null;
            /** @description About the collection; null for none */
            readonly description: string | null;
            /** @description URL of its picture, shown small; null for none */
            readonly imageUrl: string | null;
            /** @description URL of a wide picture, shown above the tokens; null for none */
            readonly bannerImageUrl: string | null;
            /** @description URL of a square picture for where marketplaces feature it; null for none */
            readonly featuredImageUrl: string | null;
            /** @description URL of a page about the collection; null for none */
            readonly externalUrl: string | null;
            /** @description Wallets that marketplaces may let edit how they show it */
            readonly collaborators: readonly string[];
            /** @description When this version was made, UTC */
            readonly createdAt: string;
            /**
             * @description Who made it: a key of the account, or a global API key; null: unknown
             * @enum {string|null}
             */
            readonly createdBy: "key" | "global" | null;
            /** @description The key of the account that was used; otherwise null */
            readonly createdByKeyId: string | null;
        };
        readonly ReplaceCollectionMetadataInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /** @description The version you replace, as in the ETag of GET /contracts/{id}/metadata; required once there is one. 412 if it is not the current one */
            readonly ifMatch?: string;
        } & components["schemas"]["ReplaceCollectionMetadata"];
        readonly ReplaceCollectionMetadata: {
            /** @description Name of the collection */
            readonly name: string;
            /** @description Its symbol */
            readonly symbol?: string;
            /** @description About the collection */
            readonly description?: string;
            /** @description URL of its picture, shown small */
            readonly imageUrl?: string;
            /** @description URL of a wide picture, shown above the tokens */
            readonly bannerImageUrl?: string;
            /** @description URL of a square picture for where marketplaces feature it */
            readonly featuredImageUrl?: string;
            /** @description URL of a page about the collection */
            readonly externalUrl?: string;
            /** @description Wallets that marketplaces may let edit how they show the collection (ERC-7572) */
            readonly collaborators?: readonly string[];
        };
        readonly ListCollectionMetadataVersionsInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
        };
        readonly ListCollectionMetadataVersionsReply: {
            /** @description The versions of this page */
            readonly items: readonly components["schemas"]["CollectionMetadata"][];
            /** @description `cursor` of the next page; null on the last page */
            readonly nextCursor: string | null;
        };
        readonly CreateMetadata: {
            /** @description The intended chain */
            readonly chainId: string;
            /** @description Ignored: filled in when a mint is confirmed */
            readonly contractAddress?: string;
            /** @description Ignored: filled in when a mint is confirmed */
            readonly tokenId?: string;
            /** @description Name of the token */
            readonly name: string;
            /** @description About the token */
            readonly description?: string;
            /** @description URL of the picture */
            readonly imageUrl: string;
            /** @description URL of a page about the token */
            readonly externalUrl?: string;
            /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
            readonly animationUrl?: string;
            /** @description Background of the picture: six hex digits, without "#" */
            readonly backgroundColor?: string;
            /** @description The traits that the schema of the type requires, and any others. The trait Status is managed automatically. */
            readonly attributes?: readonly {
                /** @description Name of the trait */
                readonly traitType: string;
                /** @description Text, number or boolean; a date is Unix time in seconds */
                readonly value: string | number | boolean;
                /** @description How marketplaces show the value. Filled in if the schema has one for the trait */
                readonly displayType?: string;
            }[];
            /**
             * @description Default: the newest version for utility.type
             * @enum {string}
             */
            readonly schemaVersion?: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            /** @description What the token is for */
            readonly utility: {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Ticket";
                /** @description Where the token can be validated */
                readonly validationUrl?: string;
                /** @description The listed keys, and any others */
                readonly data: {
                    /** @description the issuer's id of the ticket */
                    readonly ticket_id: string | number;
                    /** @description The event */
                    readonly event: {
                        /** @description the name of the event */
                        readonly name: string;
                        /** @description Unix time in seconds */
                        readonly date: number;
                    };
                    /** @description The seat */
                    readonly seat: {
                        /** @description the zone of the seat */
                        readonly zone: string | number;
                    };
                    /** @description copied by the trait "Status" */
                    readonly status: string;
                };
            } | {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Coupon";
                /** @description Where the token can be validated */
                readonly validationUrl?: string;
                /** @description The listed keys, and any others */
                readonly data: {
                    /** @description the issuer's id of the coupon */
                    readonly token_id: string | number;
                    /** @description the brand that honours the coupon */
                    readonly brand: string;
                    /** @description Unix time in seconds */
                    readonly expired_at: number;
                    /** @description copied by the trait "Status" */
                    readonly status: string;
                };
            } | {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Certificate";
                /** @description Where the token can be validated */
                readonly validationUrl?: string;
                /** @description The listed keys, and any others */
                readonly data: {
                    /** @description Unix time in seconds, a text, or null for a certificate without an end */
                    readonly valid_until: number | string | null;
                };
            } | {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Flexible";
                /** @description Where the token can be validated */
                readonly validationUrl?: string;
                /** @description The listed keys, and any others */
                readonly data: {
                    /** @description copied by the trait "Status" */
                    readonly status?: string;
                };
            };
        };
        readonly Metadata: {
            /** @description The metadataId of a mint */
            readonly _id: string;
            /** @description Intended chain */
            readonly chainId: string;
            /** @description The token's contract, in lower case; empty until a mint is confirmed */
            readonly contractAddress: string;
            /** @description Token id, decimal; empty until a mint is confirmed */
            readonly tokenId: string;
            /** @description Who holds the token, in lower case, according to the index of transfers; null if nobody or more than one address does, or if it is not indexed. See `GET /holdings` */
            readonly holder: string | null;
            /** @description Name of the token */
            readonly name: string;
            /** @description About the token */
            readonly description: string | null;
            /** @description URL of the picture */
            readonly imageUrl: string;
            /** @description URL of a page about the token */
            readonly externalUrl: string | null;
            /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
            readonly animationUrl: string | null;
            /** @description Background of the picture: six hex digits, without "#" */
            readonly backgroundColor: string | null;
            /** @description Traits */
            readonly attributes: readonly {
                /** @description Name of the trait */
                readonly traitType: string;
                /** @description Text, number or boolean; a date is Unix time in seconds */
                readonly value: string | number | boolean;
                /** @description How marketplaces show the value */
                readonly displayType?: string;
            }[];
            /** @description What the token is for */
            readonly utility: {
                /**
                 * @description What the token is for; decides the schema
                 * @enum {string}
                 */
                readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                /** @description URL where the token can be validated */
                readonly validationUrl?: string;
                /** @description The keys that the schema of the type requires, and any others */
                readonly data: {
                    readonly [key: string]: unknown;
                };
            };
            /**
             * @description The schema that the document was validated with
             * @enum {string}
             */
            readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            /** @description Copy of utility.data.status; null if there is none */
            readonly currentStatus: string | null;
            /** @description The document in the form that marketplaces read */
            readonly standardFields: {
                /** @description Name of the token */
                readonly name: string;
                /** @description About the token */
                readonly description?: string;
                /** @description URL of the picture */
                readonly image: string;
                /** @description URL of a page about the token */
                readonly external_url?: string;
                /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
                readonly animation_url?: string;
                /** @description Background of the picture: six hex digits, without "#" */
                readonly background_color?: string;
                /** @description Traits */
                readonly attributes: readonly {
                    /** @description Name of the trait */
                    readonly trait_type: string;
                    /** @description Text, number or boolean; a date is Unix time in seconds */
                    readonly value: string | number | boolean;
                    /** @description How marketplaces show the value */
                    readonly display_type?: string;
                }[];
                /** @description What the token is for */
                readonly utility: {
                    /**
                     * @description What the token is for; decides the schema
                     * @enum {string}
                     */
                    readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                    /** @description URL where the token can be validated */
                    readonly validation_url?: string;
                    /** @description The keys that the schema of the type requires, and any others */
                    readonly data: {
                        readonly [key: string]: unknown;
                    };
                };
            };
            /** @description Certificates only: SHA-256 of the canonical document; otherwise null */
            readonly metadataHash: string | null;
            /** @description From 1; raised by every change of the document */
            readonly version: number;
            /** @description When it was frozen, UTC; null while it can be edited */
            readonly frozenAt: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description When it last changed, UTC */
            readonly updatedAt: string;
        };
        readonly ListMetadataInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /** @description Only intended for this chain */
            readonly chainId?: string;
            /** @description Only linked to this contract */
            readonly contractAddress?: string;
        };
        readonly ListMetadataReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["Metadata"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly GetStatusRulesInput: {
            /**
             * @description live: the rules for main chains; test: for test chains. Default: the kind of the key, else live
             * @enum {string}
             */
            readonly kind?: "live" | "test";
        };
        readonly StatusRules: {
            /**
             * @description live: for main chains; test: for test chains
             * @enum {string}
             */
            readonly kind: "live" | "test";
            /** @description For each utility.type with rules, its statuses, and which may follow each; none: it is final. A type that is left out has no rules */
            readonly rules: {
                /** @description The statuses of Ticket metadata, and which may follow each */
                readonly Ticket?: {
                    readonly [key: string]: readonly string[];
                };
                /** @description The statuses of Coupon metadata, and which may follow each */
                readonly Coupon?: {
                    readonly [key: string]: readonly string[];
                };
                /** @description The statuses of Flexible metadata, and which may follow each */
                readonly Flexible?: {
                    readonly [key: string]: readonly string[];
                };
            };
            /** @description When they were last replaced, UTC; null: never */
            readonly updatedAt: string | null;
        };
        readonly ReplaceStatusRulesInput: {
            /**
             * @description live: the rules for main chains; test: for test chains. Default: the kind of the key, else live
             * @enum {string}
             */
            readonly kind?: "live" | "test";
        } & components["schemas"]["ReplaceStatusRules"];
        readonly ReplaceStatusRules: {
            /** @description For each utility.type with rules, its statuses, and which may follow each; none: it is final. A type that is left out has no rules */
            readonly rules: {
                /** @description The statuses of Ticket metadata, and which may follow each */
                readonly Ticket?: {
                    readonly [key: string]: readonly string[];
                };
                /** @description The statuses of Coupon metadata, and which may follow each */
                readonly Coupon?: {
                    readonly [key: string]: readonly string[];
                };
                /** @description The statuses of Flexible metadata, and which may follow each */
                readonly Flexible?: {
                    readonly [key: string]: readonly string[];
                };
            };
        };
        readonly GetMetadataInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly EditMetadataInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /** @description Required: the version you edit, as in the ETag of GET /metadata/{id}. 412 if it is not the current one */
            readonly ifMatch: string;
        } & components["schemas"]["EditMetadata"];
        readonly EditMetadata: {
            /** @description Name of the token */
            readonly name?: string;
            /** @description About the token */
            readonly description?: string | null;
            /** @description URL of the picture */
            readonly imageUrl?: string;
            /** @description URL of a page about the token */
            readonly externalUrl?: string | null;
            /** @description URL of media that marketplaces play: a video, audio, a 3D model or a web page */
            readonly animationUrl?: string | null;
            /** @description Background of the picture: six hex digits, without "#" */
            readonly backgroundColor?: string | null;
            /** @description The traits that the schema of the type requires, and any others. The trait Status is managed automatically. */
            readonly attributes?: readonly {
                /** @description Name of the trait */
                readonly traitType: string;
                /** @description Text, number or boolean; a date is Unix time in seconds */
                readonly value: string | number | boolean;
                /** @description How marketplaces show the value. Filled in if the schema has one for the trait */
                readonly displayType?: string;
            }[] | null;
            /**
             * @description Default: the newest version for utility.type
             * @enum {string}
             */
            readonly schemaVersion?: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            /** @description The changes to utility, except its type */
            readonly utility?: Record<string, unknown>;
        };
        readonly SetMetadataStatusInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        } & components["schemas"]["SetMetadataStatus"];
        readonly SetMetadataStatus: {
            /** @description The new status */
            readonly status: string;
            /** @description The status that the document must currently have, otherwise 409; null: none. Default: any that the rules allow */
            readonly expected?: string | null;
        };
        readonly SetMetadataStatusReply: components["schemas"]["Metadata"] | components["schemas"]["MetadataStatus"];
        readonly MetadataStatus: {
            /** @description The metadataId of a mint */
            readonly _id: string;
            /** @description Copy of utility.data.status; null if there is none */
            readonly currentStatus: string | null;
            /** @description From 1; raised by every change of the document */
            readonly version: number;
        };
        readonly FreezeMetadataInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ListWalletNftsInput: {
            /** @description Whose NFTs */
            readonly wallet: string;
            /** @description One or more allowed chains; default mainnet and testnet. `blockchains[]` is equivalent */
            readonly blockchains?: readonly ("mainnet" | "testnet" | "polygon" | "polygon-amoy")[];
            /** @description nextPageToken of the previous page */
            readonly pageToken?: string;
            /**
             * @description true: tokens of the account's own contracts only; false: of all registered ones
             * @enum {string}
             */
            readonly corporateOnly?: "true" | "false";
        };
        readonly WalletNfts: {
            /** @description The NFTs of this page */
            readonly items: readonly components["schemas"]["WalletNft"][];
            /** @description `pageToken` of the next page; null on the last page */
            readonly nextPageToken: string | null;
        };
        readonly WalletNft: {
            /**
             * @description Name of the chain
             * @enum {string}
             */
            readonly chain: "mainnet" | "testnet" | "polygon" | "polygon-amoy";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens, decimal; 1 for ERC-721 */
            readonly amount: string;
            /** @description As the NFT index names the standard */
            readonly tokenType: string;
            /** @description Name of the contract */
            readonly name: string;
            /** @description Symbol of the contract */
            readonly symbol: string;
            /** @description Token URI; may be empty */
            readonly tokenUrl: string;
            /** @description URL of the picture; may be empty */
            readonly imageUrl: string;
            /** @description The document that GET /metadata serves for the token; null if there is none, or if those before it on the page have 4 MB */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The caller's own; empty for another account's contract */
            readonly corporateId: string;
        };
        readonly ListHoldingsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Only on this chain */
            readonly chainId?: string;
            /** @description Only of this contract */
            readonly contractAddress?: string;
            /** @description Only of this token; needs contractAddress */
            readonly tokenId?: string;
            /** @description Only what this address holds, in any letter case */
            readonly holder?: string;
        };
        readonly ListHoldingsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["Holding"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly Holding: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Who holds the tokens, in lower case; the zero address where the operator has erased a holder */
            readonly holder: string;
            /** @description Number of tokens, decimal; 1 for ERC-721 */
            readonly amount: string;
        };
        readonly UploadAssetInput: {
            /**
             * Format: binary
             * @description The file, one of image/png, image/jpeg, image/gif, image/webp, image/avif, video/mp4, video/webm, audio/mpeg, audio/wav, model/gltf-binary
             */
            readonly file: Blob;
        };
        readonly Asset: {
            /** @description Id of the asset */
            readonly _id: string;
            /** @description As uploaded */
            readonly original_file_name: string;
            /** @description Key in the object store */
            readonly s3_key: string;
            /** @description Public URL */
            readonly url: string;
            /**
             * @description Detected from the content
             * @enum {string}
             */
            readonly mime_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif" | "video/mp4" | "video/webm" | "audio/mpeg" | "audio/wav" | "model/gltf-binary";
        };
        readonly CreateImportInput: {
            /**
             * @description What a row creates. metadata: a document. mints: a mint. tokens: a document and its mint
             * @enum {string}
             */
            readonly kind: "metadata" | "mints" | "tokens";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Required for mints and tokens; absent for metadata */
            readonly contractAddress?: string;
            /**
             * Format: binary
             * @description CSV, unless its type is application/x-ndjson: JSON lines. In Node.js, openAsBlob reads a file while it is sent
             */
            readonly file: Blob;
        };
        readonly Import: {
            /** @description Id of the import */
            readonly id: string;
            /**
             * @description What a row creates. metadata: a document. mints: a mint. tokens: a document and its mint
             * @enum {string}
             */
            readonly kind: "metadata" | "mints" | "tokens";
            /**
             * @description UPLOADING: the file is being read. CHECKING: its rows are being checked. CHECKED: it can be started. RUNNING: its rows are being accepted or rejected. PAUSED: it can be resumed. COMPLETED: every row was accepted or rejected; mints may still be under way. CANCELLED: no further row is accepted
             * @enum {string}
             */
            readonly status: "UPLOADING" | "CHECKING" | "CHECKED" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The contract; null for metadata */
            readonly contractAddress: string | null;
            /** @description Rows in the file, without the header and empty ones */
            readonly rows: number;
            /** @description Rows that were checked */
            readonly rowsChecked: number;
            /** @description Rows with faults */
            readonly faultyRows: number;
            /** @description Rows that were accepted */
            readonly accepted: number;
            /** @description Rows that were rejected; the result says why */
            readonly refused: number;
            /** @description Why it is waiting; null if it is not */
            readonly waiting: {
                /** @description Why, in words */
                readonly message: string;
                /** @description When it retries, UTC; null: once it is resumed */
                readonly until: string | null;
            } | null;
            /** @description When the upload began, UTC */
            readonly createdAt: string;
            /** @description When it was started, UTC; null until then */
            readonly startedAt: string | null;
            /** @description When it was COMPLETED or CANCELLED, UTC; null until then */
            readonly endedAt: string | null;
            /** @description The columns of the file; null for JSON lines */
            readonly columns: readonly string[] | null;
            /** @description The first five rows, as they were read */
            readonly preview: readonly {
                /** @description Number of the row in the file: in CSV the header is row 1, in JSON lines the first line is */
                readonly row: number;
                /** @description The cells of the row, the first 100 characters of each */
                readonly cells: readonly string[];
            }[];
            /** @description Faults that the check found */
            readonly faultCount: number;
            /** @description The first 1,000 of them */
            readonly faults: readonly {
                /** @description Number of the row in the file: in CSV the header is row 1, in JSON lines the first line is */
                readonly row: number;
                /** @description The column, or the field of a JSON line; null: the whole row */
                readonly column: string | null;
                /**
                 * @description What is wrong, for programs, as in `errors` of a rejected request
                 * @enum {string}
                 */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                /** @description What is wrong, in words */
                readonly message: string;
            }[];
        };
        readonly ListImportsInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only with this status
             * @enum {string}
             */
            readonly status?: "UPLOADING" | "CHECKING" | "CHECKED" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED";
        };
        readonly ListImportsReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["ListedImport"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly ListedImport: {
            /** @description Id of the import */
            readonly id: string;
            /**
             * @description What a row creates. metadata: a document. mints: a mint. tokens: a document and its mint
             * @enum {string}
             */
            readonly kind: "metadata" | "mints" | "tokens";
            /**
             * @description UPLOADING: the file is being read. CHECKING: its rows are being checked. CHECKED: it can be started. RUNNING: its rows are being accepted or rejected. PAUSED: it can be resumed. COMPLETED: every row was accepted or rejected; mints may still be under way. CANCELLED: no further row is accepted
             * @enum {string}
             */
            readonly status: "UPLOADING" | "CHECKING" | "CHECKED" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED";
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The contract; null for metadata */
            readonly contractAddress: string | null;
            /** @description Rows in the file, without the header and empty ones */
            readonly rows: number;
            /** @description Rows that were checked */
            readonly rowsChecked: number;
            /** @description Rows with faults */
            readonly faultyRows: number;
            /** @description Rows that were accepted */
            readonly accepted: number;
            /** @description Rows that were rejected; the result says why */
            readonly refused: number;
            /** @description Why it is waiting; null if it is not */
            readonly waiting: {
                /** @description Why, in words */
                readonly message: string;
                /** @description When it retries, UTC; null: once it is resumed */
                readonly until: string | null;
            } | null;
            /** @description When the upload began, UTC */
            readonly createdAt: string;
            /** @description When it was started, UTC; null until then */
            readonly startedAt: string | null;
            /** @description When it was COMPLETED or CANCELLED, UTC; null until then */
            readonly endedAt: string | null;
        };
        readonly GetImportTemplateInput: {
            /**
             * @description What a row creates
             * @enum {string}
             */
            readonly kind: "metadata" | "mints" | "tokens";
            /**
             * @description The schema of the documents. Default: opensea_flexible@1.0.0
             * @enum {string}
             */
            readonly schema?: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
        };
        /** @description The template */
        readonly GetImportTemplateReply: string;
        readonly GetImportInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly StartImportInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        } & components["schemas"]["StartImport"];
        readonly StartImport: {
            /** @description Whether rows with faults are left out; otherwise an import with faults is not started */
            readonly skipFaulty?: boolean;
        };
        readonly GetImportResultInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        /** @description The result */
        readonly GetImportResultReply: string;
        readonly PauseImportInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ResumeImportInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CancelImportInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly CreateWebhookEndpoint: {
            /** @description https, port 443 or 8443, to a public address; see docs/webhooks.md */
            readonly url: string;
            /** @description The events it gets; null or absent: the ends of all orders, also of kinds added later */
            readonly eventTypes?: readonly ("mint.confirmed" | "mint.failed" | "mint.cancelled" | "transfer.confirmed" | "transfer.failed" | "transfer.cancelled" | "revocation.confirmed" | "revocation.failed" | "revocation.cancelled" | "burn.confirmed" | "burn.failed" | "burn.cancelled" | "certificate-revocation.confirmed" | "certificate-revocation.failed" | "certificate-revocation.cancelled" | "ownership.transferred" | "ownership.failed" | "ownership.cancelled" | "notification.confirmed" | "notification.failed" | "notification.cancelled" | "base-uri.confirmed" | "base-uri.failed" | "base-uri.cancelled" | "contract.deployed" | "contract.failed" | "contract.cancelled" | "order.sent" | "order.held" | "approval.requested" | "wallet.low" | "lane.stuck" | "limit.reached" | "claim.claimed" | "claim.expired" | "token.transferred")[] | null;
            /** @description A note */
            readonly description?: string | null;
        };
        readonly WebhookEndpointWithSecret: {
            /** @description Id of the endpoint */
            readonly id: string;
            /**
             * @description operator: the account's webhook, which the operator sets; it can be read and tested, not changed
             * @enum {string}
             */
            readonly managedBy: "operator" | "account";
            /** @description Where events are sent; null: the default of the service */
            readonly url: string | null;
            /** @description A note; null for none */
            readonly description: string | null;
            /** @description Types of the events it gets; null: the ends of all orders */
            readonly eventTypes: readonly string[] | null;
            /**
             * @description DISABLED: it gets no events
             * @enum {string}
             */
            readonly status: "ENABLED" | "DISABLED";
            /**
             * @description The kind of chains whose events it gets: that of the key that created it; null: both
             * @enum {string|null}
             */
            readonly chainKind: "main" | "test" | null;
            /** @description Until then the former secret signs too, UTC; null if there is none */
            readonly previousSecretExpiresAt: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description UTC */
            readonly updatedAt: string;
            /** @description whsec_ and base64; shown in this reply only */
            readonly secret: string;
        };
        readonly ListWebhookEndpointsReply: {
            /** @description The endpoints */
            readonly items: readonly components["schemas"]["WebhookEndpoint"][];
        };
        readonly WebhookEndpoint: {
            /** @description Id of the endpoint */
            readonly id: string;
            /**
             * @description operator: the account's webhook, which the operator sets; it can be read and tested, not changed
             * @enum {string}
             */
            readonly managedBy: "operator" | "account";
            /** @description Where events are sent; null: the default of the service */
            readonly url: string | null;
            /** @description A note; null for none */
            readonly description: string | null;
            /** @description Types of the events it gets; null: the ends of all orders */
            readonly eventTypes: readonly string[] | null;
            /**
             * @description DISABLED: it gets no events
             * @enum {string}
             */
            readonly status: "ENABLED" | "DISABLED";
            /**
             * @description The kind of chains whose events it gets: that of the key that created it; null: both
             * @enum {string|null}
             */
            readonly chainKind: "main" | "test" | null;
            /** @description Until then the former secret signs too, UTC; null if there is none */
            readonly previousSecretExpiresAt: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description UTC */
            readonly updatedAt: string;
        };
        readonly GetWebhookEndpointInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ChangeWebhookEndpointInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        } & components["schemas"]["ChangeWebhookEndpoint"];
        readonly ChangeWebhookEndpoint: {
            /** @description https, port 443 or 8443, to a public address; see docs/webhooks.md */
            readonly url?: string;
            /** @description The events it gets; null or absent: the ends of all orders, also of kinds added later */
            readonly eventTypes?: readonly ("mint.confirmed" | "mint.failed" | "mint.cancelled" | "transfer.confirmed" | "transfer.failed" | "transfer.cancelled" | "revocation.confirmed" | "revocation.failed" | "revocation.cancelled" | "burn.confirmed" | "burn.failed" | "burn.cancelled" | "certificate-revocation.confirmed" | "certificate-revocation.failed" | "certificate-revocation.cancelled" | "ownership.transferred" | "ownership.failed" | "ownership.cancelled" | "notification.confirmed" | "notification.failed" | "notification.cancelled" | "base-uri.confirmed" | "base-uri.failed" | "base-uri.cancelled" | "contract.deployed" | "contract.failed" | "contract.cancelled" | "order.sent" | "order.held" | "approval.requested" | "wallet.low" | "lane.stuck" | "limit.reached" | "claim.claimed" | "claim.expired" | "token.transferred")[] | null;
            /** @description A note */
            readonly description?: string | null;
            /**
             * @description DISABLED: it gets no events, and its unfinished deliveries end as SKIPPED
             * @enum {string}
             */
            readonly status?: "ENABLED" | "DISABLED";
        };
        readonly DeleteWebhookEndpointInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly RotateWebhookSecretInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly TestWebhookEndpointInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly WebhookDeliveryWithPayload: {
            /** @description Id of the delivery */
            readonly id: string;
            /** @description The header webhook-id */
            readonly eventId: string;
            /** @description Type of the event */
            readonly eventType: string;
            /** @description Id of the order, contract or ownership transfer; null if the event is about none */
            readonly orderId: string | null;
            /** @description The endpoint that gets it */
            readonly endpointId: string;
            /**
             * @description PENDING: not attempted yet. RETRYING: another attempt follows. SUCCESS, FAILED: ended. SKIPPED: the endpoint has no URL, or is not ENABLED
             * @enum {string}
             */
            readonly status: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
            /** @description The last 20 that have ended, in order */
            readonly attempts: readonly {
                /** @description From 1 */
                readonly number: number;
                /**
                 * @description SUCCESS: 2xx. FAILED: no further attempt. RETRYING: another follows
                 * @enum {string}
                 */
                readonly status: "SUCCESS" | "FAILED" | "RETRYING";
                /** @description HTTP status of the response; null for none */
                readonly responseStatusCode: number | null;
                /** @description Why there was no response; null if there was one */
                readonly errorMessage: string | null;
                /** @description When it ended, UTC */
                readonly at: string;
            }[];
            /** @description UTC; null when there is none */
            readonly nextAttemptAt: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description UTC */
            readonly updatedAt: string;
            /** @description The exact body of every attempt */
            readonly payload: string;
        };
        readonly ListWebhookDeliveriesInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only in this state
             * @enum {string}
             */
            readonly status?: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
            /**
             * @description Only of this type
             * @enum {string}
             */
            readonly eventType?: "mint.confirmed" | "mint.failed" | "mint.cancelled" | "transfer.confirmed" | "transfer.failed" | "transfer.cancelled" | "revocation.confirmed" | "revocation.failed" | "revocation.cancelled" | "burn.confirmed" | "burn.failed" | "burn.cancelled" | "certificate-revocation.confirmed" | "certificate-revocation.failed" | "certificate-revocation.cancelled" | "ownership.transferred" | "ownership.failed" | "ownership.cancelled" | "notification.confirmed" | "notification.failed" | "notification.cancelled" | "base-uri.confirmed" | "base-uri.failed" | "base-uri.cancelled" | "contract.deployed" | "contract.failed" | "contract.cancelled" | "order.sent" | "order.held" | "approval.requested" | "wallet.low" | "lane.stuck" | "limit.reached" | "claim.claimed" | "claim.expired" | "token.transferred" | "webhook.test";
            /** @description Only of this event, by its webhook-id */
            readonly eventId?: string;
            /** @description Only about this order, contract or ownership transfer */
            readonly orderId?: string;
            /** @description Only to this endpoint */
            readonly endpointId?: string;
        };
        readonly ListWebhookDeliveriesReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["WebhookDelivery"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly WebhookDelivery: {
            /** @description Id of the delivery */
            readonly id: string;
            /** @description The header webhook-id */
            readonly eventId: string;
            /** @description Type of the event */
            readonly eventType: string;
            /** @description Id of the order, contract or ownership transfer; null if the event is about none */
            readonly orderId: string | null;
            /** @description The endpoint that gets it */
            readonly endpointId: string;
            /**
             * @description PENDING: not attempted yet. RETRYING: another attempt follows. SUCCESS, FAILED: ended. SKIPPED: the endpoint has no URL, or is not ENABLED
             * @enum {string}
             */
            readonly status: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
            /** @description The last 20 that have ended, in order */
            readonly attempts: readonly {
                /** @description From 1 */
                readonly number: number;
                /**
                 * @description SUCCESS: 2xx. FAILED: no further attempt. RETRYING: another follows
                 * @enum {string}
                 */
                readonly status: "SUCCESS" | "FAILED" | "RETRYING";
                /** @description HTTP status of the response; null for none */
                readonly responseStatusCode: number | null;
                /** @description Why there was no response; null if there was one */
                readonly errorMessage: string | null;
                /** @description When it ended, UTC */
                readonly at: string;
            }[];
            /** @description UTC; null when there is none */
            readonly nextAttemptAt: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description UTC */
            readonly updatedAt: string;
        };
        readonly GetWebhookDeliveryInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly ReplayWebhookDeliveries: {
            /** @description Only of events at this time or later */
            readonly since: string;
            /** @description Only of this endpoint */
            readonly endpointId?: string;
        };
        readonly ReplayedWebhookDeliveries: {
            /** @description Deliveries that are replayed */
            readonly replayed: number;
            /** @description More are left: repeat the request once these have ended */
            readonly hasMore: boolean;
        };
        readonly ReplayWebhookDeliveryInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
        };
        readonly LimitsAndUsage: {
            /** @description Orders accepted in a UTC day; null: not limited */
            readonly ordersPerDay: number | null;
            /** @description Orders accepted and not ended; null: not limited */
            readonly pendingOrders: number | null;
            /** @description Who may receive tokens and contracts, in lower case; null: anyone */
            readonly receivers: readonly string[] | null;
            /** @description Contracts that orders may act on, in lower case; null: all of the account */
            readonly contracts: readonly string[] | null;
            /** @description Chains that orders may use; null: all */
            readonly chains: readonly string[] | null;
            /** @description By chain id: coins, and gwei for a unit of gas */
            readonly spend: {
                readonly [key: string]: {
                    /** @description Coins in a UTC day; null: not limited */
                    readonly perDay: string | null;
                    /** @description Coins for one order; null: not limited */
                    readonly perOrder: string | null;
                    /** @description Gwei for a unit of gas; null: not limited */
                    readonly gasPrice: string | null;
                };
            };
            /** @description Current usage of the limits */
            readonly used: {
                /** @description Orders accepted since the UTC day began */
                readonly ordersToday: number;
                /** @description Orders accepted and not ended */
                readonly pendingOrders: number;
                /** @description By chain id, in coins: what ended orders have cost, and the most that signed ones may cost */
                readonly spentToday: {
                    readonly [key: string]: string;
                };
            };
            /** @description When the UTC day ends */
            readonly dayEndsAt: string;
        };
        readonly CreateKey: {
            /** @description A name to recognise the key */
            readonly name: string;
            /** @description What the key may do; no scope implies another */
            readonly scopes: readonly ("read" | "metadata" | "status" | "mint" | "transfer" | "deploy" | "ownership" | "revoke" | "webhooks" | "keys")[];
            /**
             * @description live: main chains only; test: test chains only. Default: the creating key's kind, else live
             * @enum {string}
             */
            readonly kind?: "live" | "test";
            /** @description IPv4 and IPv6 addresses, and ranges of them (CIDR). Default: the creating key's, else any */
            readonly allowedAddresses?: readonly string[];
            /** @description When it expires. Default: the creating key's, else never */
            readonly expiresAt?: string;
        };
        readonly NewKey: {
            /** @description Id of the key */
            readonly id: string;
            /** @description Given at its creation */
            readonly name: string;
            /**
             * @description live: main chains only. test: test chains only
             * @enum {string}
             */
            readonly kind: "live" | "test";
            /** @description What the key may do */
            readonly scopes: readonly ("read" | "metadata" | "status" | "mint" | "transfer" | "deploy" | "ownership" | "revoke" | "webhooks" | "keys")[];
            /** @description IP addresses and ranges it can be used from; null: any */
            readonly allowedAddresses: readonly string[] | null;
            /** @description UTC; null: never */
            readonly expiresAt: string | null;
            /** @description UTC, to the minute; null: never */
            readonly lastUsedAt: string | null;
            /** @description The key that created it; null: an operator did */
            readonly parentId: string | null;
            /** @description UTC */
            readonly createdAt: string;
            /** @description The value of x-api-key. Shown once: null in the reply to a retry */
            readonly key: string | null;
        };
        readonly ListKeysInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
        };
        readonly ListKeysReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["Key"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly Key: {
            /** @description Id of the key */
            readonly id: string;
            /** @description Given at its creation */
            readonly name: string;
            /**
             * @description live: main chains only. test: test chains only
             * @enum {string}
             */
            readonly kind: "live" | "test";
            /** @description What the key may do */
            readonly scopes: readonly ("read" | "metadata" | "status" | "mint" | "transfer" | "deploy" | "ownership" | "revoke" | "webhooks" | "keys")[];
            /** @description IP addresses and ranges it can be used from; null: any */
            readonly allowedAddresses: readonly string[] | null;
            /** @description UTC; null: never */
            readonly expiresAt: string | null;
            /** @description UTC, to the minute; null: never */
            readonly lastUsedAt: string | null;
            /** @description The key that created it; null: an operator did */
            readonly parentId: string | null;
            /** @description UTC */
            readonly createdAt: string;
        };
        readonly GetKeyResourcesInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /**
             * @description true: also the keys that it created, and their descendants
             * @enum {string}
             */
            readonly descendants?: "true" | "false";
        };
        readonly KeyResources: {
            /** @description The OPEN claims that it made */
            readonly claims: {
                /** @description How many OPEN claims that it made */
                readonly count: number;
                /** @description Their ids, newest first, at most 100 */
                readonly ids: readonly string[];
            };
            /** @description The webhook endpoints that it created */
            readonly endpoints: {
                /** @description How many webhook endpoints that it created */
                readonly count: number;
                /** @description Their ids, newest first, at most 100 */
                readonly ids: readonly string[];
            };
            /** @description The contracts that it registered */
            readonly contracts: {
                /** @description How many contracts that it registered */
                readonly count: number;
                /** @description Their ids, newest first, at most 100 */
                readonly ids: readonly string[];
            };
            /** @description The contracts whose current collection metadata it wrote, collaborators included */
            readonly collections: {
                /** @description How many contracts whose current collection metadata it wrote, collaborators included */
                readonly count: number;
                /** @description Their ids, newest first, at most 100 */
                readonly ids: readonly string[];
            };
        };
        readonly RevokeKeyInput: {
            /** @description Id of the record; ids are time-ordered */
            readonly id: string;
            /**
             * @description true: also the keys that it created, and their descendants
             * @enum {string}
             */
            readonly descendants?: "true" | "false";
            /**
             * @description true: also cancels the claims, deletes the webhook endpoints and unregisters the contracts of GET /keys/{id}/resources, also of a key that was revoked before
             * @enum {string}
             */
            readonly endResources?: "true" | "false";
        };
        readonly ListAuditLogInput: {
            /** @description Items on a page; default 50, at most 100 */
            readonly limit?: number;
            /** @description nextCursor of the previous page */
            readonly cursor?: string;
            /** @description Created at this time or later */
            readonly createdFrom?: string;
            /** @description Created before this time */
            readonly createdTo?: string;
            /**
             * @description Only by this kind of caller
             * @enum {string}
             */
            readonly actor?: "key" | "global" | "admin" | "command";
            /** @description Only with this key */
            readonly keyId?: string;
            /** @description Only of this record or chain */
            readonly resourceId?: string;
            /** @description Only on this route */
            readonly route?: string;
            /** @description Only with a reply of this HTTP status */
            readonly statusCode?: number;
        };
        readonly ListAuditLogReply: {
            /** @description The records of this page */
            readonly items: readonly components["schemas"]["AuditEntry"][];
            /** @description `cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows */
            readonly nextCursor: string | null;
        };
        readonly AuditEntry: {
            /** @description Id of the entry */
            readonly id: string;
            /**
             * @description key: of the account; global: of GLOBAL_SECRET_KEY; admin: ADMIN_SECRET_KEY; command: npm run corporate
             * @enum {string}
             */
            readonly actor: "key" | "global" | "admin" | "command";
            /** @description The key of the account; null for any other caller */
            readonly keyId: string | null;
            /** @description The caller's IP address; null if it is not known */
            readonly address: string | null;
            /** @description X-Request-Id; null for a command */
            readonly requestId: string | null;
            /** @description HTTP method; COMMAND for a command */
            readonly method: string;
            /** @description Path of the route, or the command */
            readonly route: string;
            /** @description What was created or changed besides the account, a chain by its chain id; for a request that changed nothing, the id in its path */
            readonly resourceIds: readonly string[];
            /** @description SHA-256 of the body, in hex; null without a body, and for new claims, whose PINs it would reveal */
            readonly bodyHash: string | null;
            /** @description HTTP status of the reply; null for a command, which succeeded */
            readonly statusCode: number | null;
            /** @description When it was made, UTC */
            readonly createdAt: string;
        };
        readonly WebhookEvent: {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "mint.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["MintingOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "mint.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["MintingOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "mint.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["MintingOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "transfer.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "transfer.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "transfer.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "revocation.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "revocation.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "revocation.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TransferOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "burn.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BurnOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "burn.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BurnOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "burn.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BurnOrder"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "certificate-revocation.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["CertificateRevocation"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "certificate-revocation.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["CertificateRevocation"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "certificate-revocation.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["CertificateRevocation"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "ownership.transferred";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["OwnershipTransfer"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "ownership.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["OwnershipTransfer"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "ownership.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["OwnershipTransfer"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "notification.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ChainNotification"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "notification.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ChainNotification"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "notification.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ChainNotification"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "base-uri.confirmed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BaseUriChange"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "base-uri.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BaseUriChange"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "base-uri.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["BaseUriChange"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "contract.deployed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["DeployedContract"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "contract.failed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["DeployedContract"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "contract.cancelled";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["DeployedContract"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "order.sent";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["OrderSent"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "order.held";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["OrderHeld"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "approval.requested";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ApprovalRequested"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "wallet.low";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["WalletLow"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "lane.stuck";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["LaneStuck"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "limit.reached";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["LimitReached"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "claim.claimed";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ClaimClaimed"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "claim.expired";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["ClaimExpired"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "token.transferred";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["TokenTransferred"];
        } | {
            /**
             * @description Type of the event
             * @enum {string}
             */
            readonly type: "webhook.test";
            /** @description When it happened, UTC */
            readonly timestamp: string;
            readonly data: components["schemas"]["WebhookTest"];
        };
        readonly OrderSent: {
            /** @description The id of the order; of a deployment, that of the contract */
            readonly orderId: string;
            /** @description The kind of order, such as mint, transfer or deploy */
            readonly orderKind: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The account's wallet, in lower case */
            readonly walletAddress: string;
            /** @description Of the first attempt; one with a higher fee has another */
            readonly txHash: string;
            /** @description The wallet's nonce of the transaction */
            readonly nonce: number;
        };
        readonly OrderHeld: {
            /** @description The id of the order; of a deployment, that of the contract */
            readonly orderId: string;
            /** @description The kind of order, such as mint, transfer or deploy */
            readonly orderKind: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The account's wallet, in lower case */
            readonly walletAddress: string;
            /**
             * @description As in `hold` of the order
             * @enum {string}
             */
            readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
            /** @description The reason in words */
            readonly detail: string;
        };
        readonly ApprovalRequested: {
            /** @description For `GET /approvals/{id}`; of an order also its own id */
            readonly approvalId: string;
            /**
             * @description What is to be approved
             * @enum {string}
             */
            readonly action: "TRANSFER_OWNERSHIP" | "DEPLOY_FORWARDER" | "DEPLOY_CONTRACT" | "SWITCH_OFF_APPROVALS";
            /** @description The chain of the order; null if there is no order */
            readonly chainId: string | null;
            /** @description The id of the key that requested it; null: a global API key */
            readonly requestedBy: string | null;
            /** @description Deadline for the decision, UTC */
            readonly expiresAt: string;
        };
        readonly WalletLow: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The account's wallet, in lower case */
            readonly walletAddress: string;
            /** @description What the wallet has, in the chain's native coin */
            readonly balance: string;
            /** @description LOW_BALANCE_<chainId>, in the chain's native coin */
            readonly threshold: string;
        };
        readonly LaneStuck: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description The account's wallet, in lower case */
            readonly walletAddress: string;
            /** @description The order that blocks the lane */
            readonly orderId: string | null;
            /** @description Why, in words */
            readonly reason: string;
        };
        readonly LimitReached: {
            /**
             * @description Which limit
             * @enum {string}
             */
            readonly limit: "ordersPerDay" | "pendingOrders" | "receivers" | "contracts" | "chains" | "spendPerDay" | "spendPerOrder" | "gasPrice";
            /** @description Null for a limit of all chains together */
            readonly chainId: string | null;
            /** @description The limit: a number, coins, or gwei for a unit of gas. Null for a list */
            readonly value: string | null;
            /**
             * @description What it did to the order
             * @enum {string}
             */
            readonly effect: "REFUSED" | "HELD";
            /** @description The order that is held; null if it was rejected */
            readonly orderId: string | null;
            /** @description When the limit counts from zero again; null if it does not depend on the time */
            readonly freesAt: string | null;
        };
        readonly ClaimClaimed: {
            /** @description For `GET /claims/{id}`; also the id of its minting order */
            readonly claimId: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
            /** @description Who gets the token */
            readonly receiverAddress: string;
        };
        readonly ClaimExpired: {
            /** @description For `GET /claims/{id}`; also the id of its minting order */
            readonly claimId: string;
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description Number of tokens; 1 for ERC-721 */
            readonly amount: number;
            /** @description Id of the token's metadata */
            readonly metadataId: string;
        };
        readonly TokenTransferred: {
            /** @description Chain id, decimal */
            readonly chainId: string;
            /** @description Address of the contract, in lower case */
            readonly contractAddress: string;
            /** @description Token id: a 256-bit number, decimal */
            readonly tokenId: string;
            /** @description In lower case; the zero address for a mint */
            readonly from: string;
            /** @description In lower case; the zero address for a burn */
            readonly to: string;
            /** @description Number of tokens, decimal; 1 for ERC-721 */
            readonly amount: string;
            /** @description Of the transaction with the transfer, in lower case */
            readonly txHash: string;
            /** @description Of its block */
            readonly blockNumber: number;
            /** @description Of its log in the block */
            readonly logIndex: number;
        };
        readonly WebhookTest: {
            /** @description The endpoint that is tested */
            readonly endpointId: string;
        };
        readonly ErrorReply: {
            /** @description HTTP status */
            readonly statusCode: number;
            /**
             * @description What is wrong, for programs: the list of codes is in the introduction. Codes can be added, but never change
             * @enum {string}
             */
            readonly code: "invalid_input" | "metadata_invalid" | "malformed_body" | "call_reverted" | "unauthenticated" | "api_key_missing" | "api_key_invalid" | "bearer_not_supported" | "admin_key_missing" | "admin_key_invalid" | "account_header_missing" | "forbidden" | "account_inactive" | "scope_missing" | "address_not_allowed" | "wrong_chain_kind" | "limit_forbids" | "wrong_pin" | "test_signatures_disabled" | "not_found" | "contract_not_active" | "route_not_found" | "method_not_allowed" | "body_too_slow" | "conflict" | "token_unavailable" | "not_owner" | "claim_not_open" | "idempotency_key_in_use" | "version_outdated" | "version_required" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "limit_reached" | "internal_error" | "upstream_failed" | "chain_unavailable" | "service_unavailable" | "temporarily_unavailable";
            /** @description What is wrong, in words */
            readonly message: string;
            /** @description When the reply was made, UTC */
            readonly timestamp: string;
            /** @description Path of the request */
            readonly path: string;
            /** @description Id of the request in the log of the service, the same as in X-Request-Id: include it when you ask for help */
            readonly requestId: string;
            /** @description Everything wrong with the input */
            readonly errors?: readonly {
                /** @description Where in the input; for metadata, in the form of JSONPath */
                readonly path: string;
                /**
                 * @description What is wrong, for programs
                 * @enum {string}
                 */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                /** @description What is wrong, in words */
                readonly message: string;
                /** @description Metadata only: the schema that was applied */
                readonly schemaVersion?: string | null;
                /** @description Metadata only: utility.type */
                readonly type?: string | null;
            }[];
            /** @description Only where a change of metadata is refused for its state: its status */
            readonly currentStatus?: string | null;
            /** @description Only where a change of metadata is refused for its state: its version */
            readonly version?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Health = components['schemas']['Health'];
export type ListMetadataVersionsInput = components['schemas']['ListMetadataVersionsInput'];
export type ListMetadataVersionsReply = components['schemas']['ListMetadataVersionsReply'];
export type MetadataVersion = components['schemas']['MetadataVersion'];
export type GetTokenMetadataInput = components['schemas']['GetTokenMetadataInput'];
export type TokenMetadata = components['schemas']['TokenMetadata'];
export type GetCollectionInput = components['schemas']['GetCollectionInput'];
export type Collection = components['schemas']['Collection'];
export type GetCollectionFactsInput = components['schemas']['GetCollectionFactsInput'];
export type CollectionFacts = components['schemas']['CollectionFacts'];
export type ListCollectionTokensInput = components['schemas']['ListCollectionTokensInput'];
export type CollectionTokens = components['schemas']['CollectionTokens'];
export type MetadataSchemas = components['schemas']['MetadataSchemas'];
export type GetMetadataSchemaInput = components['schemas']['GetMetadataSchemaInput'];
export type JsonSchema = components['schemas']['JsonSchema'];
export type GetIssuerInput = components['schemas']['GetIssuerInput'];
export type Issuer = components['schemas']['Issuer'];
export type GetDeploymentInput = components['schemas']['GetDeploymentInput'];
export type Deployment = components['schemas']['Deployment'];
export type GetPublicRevocationInput = components['schemas']['GetPublicRevocationInput'];
export type PublicRevocation = components['schemas']['PublicRevocation'];
export type GetCredentialInput = components['schemas']['GetCredentialInput'];
export type CertificateCredential = components['schemas']['CertificateCredential'];
export type DataIntegrityProof = components['schemas']['DataIntegrityProof'];
export type GetStatusListInput = components['schemas']['GetStatusListInput'];
export type StatusListCredential = components['schemas']['StatusListCredential'];
export type GetIssuerDidDocumentInput = components['schemas']['GetIssuerDidDocumentInput'];
export type IssuerDidDocument = components['schemas']['IssuerDidDocument'];
export type ServiceDidDocument = components['schemas']['ServiceDidDocument'];
export type ResolveProductInput = components['schemas']['ResolveProductInput'];
export type Linkset = components['schemas']['Linkset'];
export type LinkTarget = components['schemas']['LinkTarget'];
export type ResolverDescription = components['schemas']['ResolverDescription'];
export type OpenClaimInput = components['schemas']['OpenClaimInput'];
export type OpenClaim = components['schemas']['OpenClaim'];
export type LinkedClaim = components['schemas']['LinkedClaim'];
export type ClaimTokenInput = components['schemas']['ClaimTokenInput'];
export type ClaimToken = components['schemas']['ClaimToken'];
export type DeployContract = components['schemas']['DeployContract'];
export type DeployedContract = components['schemas']['DeployedContract'];
export type DeployForwarder = components['schemas']['DeployForwarder'];
export type TransferOwnership = components['schemas']['TransferOwnership'];
export type OwnershipTransfer = components['schemas']['OwnershipTransfer'];
export type GetOwnershipTransferInput = components['schemas']['GetOwnershipTransferInput'];
export type NotifyChain = components['schemas']['NotifyChain'];
export type ChainNotification = components['schemas']['ChainNotification'];
export type GetChainNotificationInput = components['schemas']['GetChainNotificationInput'];
export type SetBaseUri = components['schemas']['SetBaseUri'];
export type BaseUriChange = components['schemas']['BaseUriChange'];
export type GetBaseUriChangeInput = components['schemas']['GetBaseUriChangeInput'];
export type CreateMintingOrder = components['schemas']['CreateMintingOrder'];
export type MintingOrder = components['schemas']['MintingOrder'];
export type CreateMintingOrders = components['schemas']['CreateMintingOrders'];
export type MintingOrdersResult = components['schemas']['MintingOrdersResult'];
export type MintingOrderRefusal = components['schemas']['MintingOrderRefusal'];
export type SignMint = components['schemas']['SignMint'];
export type MintSignature = components['schemas']['MintSignature'];
export type PrepareMint = components['schemas']['PrepareMint'];
export type PreparedRequest = components['schemas']['PreparedRequest'];
export type RelayMint = components['schemas']['RelayMint'];
export type RelayedMintingOrder = components['schemas']['RelayedMintingOrder'];
export type CheckOccupancy = components['schemas']['CheckOccupancy'];
export type Occupancy = components['schemas']['Occupancy'];
export type ListMintingOrdersInput = components['schemas']['ListMintingOrdersInput'];
export type ListMintingOrdersReply = components['schemas']['ListMintingOrdersReply'];
export type GetMintingOrderByTransactionInput = components['schemas']['GetMintingOrderByTransactionInput'];
export type ListMintingOrdersOfTokenInput = components['schemas']['ListMintingOrdersOfTokenInput'];
export type ListMintingOrdersOfTokenReply = components['schemas']['ListMintingOrdersOfTokenReply'];
export type GetMintingOrderInput = components['schemas']['GetMintingOrderInput'];
export type CreateClaim = components['schemas']['CreateClaim'];
export type NewClaim = components['schemas']['NewClaim'];
export type ListClaimsInput = components['schemas']['ListClaimsInput'];
export type ListClaimsReply = components['schemas']['ListClaimsReply'];
export type Claim = components['schemas']['Claim'];
export type CreateClaims = components['schemas']['CreateClaims'];
export type ClaimsResult = components['schemas']['ClaimsResult'];
export type ClaimRefusal = components['schemas']['ClaimRefusal'];
export type GetClaimInput = components['schemas']['GetClaimInput'];
export type CancelClaimInput = components['schemas']['CancelClaimInput'];
export type SignTransfer = components['schemas']['SignTransfer'];
export type TransferSignature = components['schemas']['TransferSignature'];
export type PrepareTransferInput = components['schemas']['PrepareTransferInput'];
export type PrepareTransfer = components['schemas']['PrepareTransfer'];
export type ExecuteTransferInput = components['schemas']['ExecuteTransferInput'];
export type ExecuteTransfer = components['schemas']['ExecuteTransfer'];
export type TransferOrder = components['schemas']['TransferOrder'];
export type ListTransferOrdersInput = components['schemas']['ListTransferOrdersInput'];
export type ListTransferOrdersReply = components['schemas']['ListTransferOrdersReply'];
export type GetTransferOrderByTransactionInput = components['schemas']['GetTransferOrderByTransactionInput'];
export type GetTransferOrderInput = components['schemas']['GetTransferOrderInput'];
export type PrepareBurn = components['schemas']['PrepareBurn'];
export type ExecuteBurn = components['schemas']['ExecuteBurn'];
export type BurnOrder = components['schemas']['BurnOrder'];
export type ListBurnOrdersInput = components['schemas']['ListBurnOrdersInput'];
export type ListBurnOrdersReply = components['schemas']['ListBurnOrdersReply'];
export type GetBurnOrderByTransactionInput = components['schemas']['GetBurnOrderByTransactionInput'];
export type GetBurnOrderInput = components['schemas']['GetBurnOrderInput'];
export type RevokeCertificate = components['schemas']['RevokeCertificate'];
export type CertificateRevocation = components['schemas']['CertificateRevocation'];
export type ListCertificateRevocationsInput = components['schemas']['ListCertificateRevocationsInput'];
export type ListCertificateRevocationsReply = components['schemas']['ListCertificateRevocationsReply'];
export type RevokeCertificates = components['schemas']['RevokeCertificates'];
export type CertificateRevocationsResult = components['schemas']['CertificateRevocationsResult'];
export type CertificateRevocationRefusal = components['schemas']['CertificateRevocationRefusal'];
export type GetCertificateRevocationByTransactionInput = components['schemas']['GetCertificateRevocationByTransactionInput'];
export type GetCertificateRevocationInput = components['schemas']['GetCertificateRevocationInput'];
export type ReissueCertificate = components['schemas']['ReissueCertificate'];
export type ReissuedCertificate = components['schemas']['ReissuedCertificate'];
export type CancelOrder = components['schemas']['CancelOrder'];
export type ListApprovalsInput = components['schemas']['ListApprovalsInput'];
export type ListApprovalsReply = components['schemas']['ListApprovalsReply'];
export type Approval = components['schemas']['Approval'];
export type ApprovalSetting = components['schemas']['ApprovalSetting'];
export type SetApprovals = components['schemas']['SetApprovals'];
export type ChangedApprovalSetting = components['schemas']['ChangedApprovalSetting'];
export type GetApprovalInput = components['schemas']['GetApprovalInput'];
export type ApproveRequestInput = components['schemas']['ApproveRequestInput'];
export type RefuseRequestInput = components['schemas']['RefuseRequestInput'];
export type ReadContract = components['schemas']['ReadContract'];
export type ReadContractReply = components['schemas']['ReadContractReply'];
export type RegisterContract = components['schemas']['RegisterContract'];
export type ListContractsInput = components['schemas']['ListContractsInput'];
export type ListContractsReply = components['schemas']['ListContractsReply'];
export type GetContractInput = components['schemas']['GetContractInput'];
export type UnregisterContractInput = components['schemas']['UnregisterContractInput'];
export type GetCollectionMetadataInput = components['schemas']['GetCollectionMetadataInput'];
export type CollectionMetadata = components['schemas']['CollectionMetadata'];
export type ReplaceCollectionMetadataInput = components['schemas']['ReplaceCollectionMetadataInput'];
export type ReplaceCollectionMetadata = components['schemas']['ReplaceCollectionMetadata'];
export type ListCollectionMetadataVersionsInput = components['schemas']['ListCollectionMetadataVersionsInput'];
export type ListCollectionMetadataVersionsReply = components['schemas']['ListCollectionMetadataVersionsReply'];
export type CreateMetadata = components['schemas']['CreateMetadata'];
export type Metadata = components['schemas']['Metadata'];
export type ListMetadataInput = components['schemas']['ListMetadataInput'];
export type ListMetadataReply = components['schemas']['ListMetadataReply'];
export type GetStatusRulesInput = components['schemas']['GetStatusRulesInput'];
export type StatusRules = components['schemas']['StatusRules'];
export type ReplaceStatusRulesInput = components['schemas']['ReplaceStatusRulesInput'];
export type ReplaceStatusRules = components['schemas']['ReplaceStatusRules'];
export type GetMetadataInput = components['schemas']['GetMetadataInput'];
export type EditMetadataInput = components['schemas']['EditMetadataInput'];
export type EditMetadata = components['schemas']['EditMetadata'];
export type SetMetadataStatusInput = components['schemas']['SetMetadataStatusInput'];
export type SetMetadataStatus = components['schemas']['SetMetadataStatus'];
export type SetMetadataStatusReply = components['schemas']['SetMetadataStatusReply'];
export type MetadataStatus = components['schemas']['MetadataStatus'];
export type FreezeMetadataInput = components['schemas']['FreezeMetadataInput'];
export type ListWalletNftsInput = components['schemas']['ListWalletNftsInput'];
export type WalletNfts = components['schemas']['WalletNfts'];
export type WalletNft = components['schemas']['WalletNft'];
export type ListHoldingsInput = components['schemas']['ListHoldingsInput'];
export type ListHoldingsReply = components['schemas']['ListHoldingsReply'];
export type Holding = components['schemas']['Holding'];
export type UploadAssetInput = components['schemas']['UploadAssetInput'];
export type Asset = components['schemas']['Asset'];
export type CreateImportInput = components['schemas']['CreateImportInput'];
export type Import = components['schemas']['Import'];
export type ListImportsInput = components['schemas']['ListImportsInput'];
export type ListImportsReply = components['schemas']['ListImportsReply'];
export type ListedImport = components['schemas']['ListedImport'];
export type GetImportTemplateInput = components['schemas']['GetImportTemplateInput'];
export type GetImportTemplateReply = components['schemas']['GetImportTemplateReply'];
export type GetImportInput = components['schemas']['GetImportInput'];
export type StartImportInput = components['schemas']['StartImportInput'];
export type StartImport = components['schemas']['StartImport'];
export type GetImportResultInput = components['schemas']['GetImportResultInput'];
export type GetImportResultReply = components['schemas']['GetImportResultReply'];
export type PauseImportInput = components['schemas']['PauseImportInput'];
export type ResumeImportInput = components['schemas']['ResumeImportInput'];
export type CancelImportInput = components['schemas']['CancelImportInput'];
export type CreateWebhookEndpoint = components['schemas']['CreateWebhookEndpoint'];
export type WebhookEndpointWithSecret = components['schemas']['WebhookEndpointWithSecret'];
export type ListWebhookEndpointsReply = components['schemas']['ListWebhookEndpointsReply'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type GetWebhookEndpointInput = components['schemas']['GetWebhookEndpointInput'];
export type ChangeWebhookEndpointInput = components['schemas']['ChangeWebhookEndpointInput'];
export type ChangeWebhookEndpoint = components['schemas']['ChangeWebhookEndpoint'];
export type DeleteWebhookEndpointInput = components['schemas']['DeleteWebhookEndpointInput'];
export type RotateWebhookSecretInput = components['schemas']['RotateWebhookSecretInput'];
export type TestWebhookEndpointInput = components['schemas']['TestWebhookEndpointInput'];
export type WebhookDeliveryWithPayload = components['schemas']['WebhookDeliveryWithPayload'];
export type ListWebhookDeliveriesInput = components['schemas']['ListWebhookDeliveriesInput'];
export type ListWebhookDeliveriesReply = components['schemas']['ListWebhookDeliveriesReply'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type GetWebhookDeliveryInput = components['schemas']['GetWebhookDeliveryInput'];
export type ReplayWebhookDeliveries = components['schemas']['ReplayWebhookDeliveries'];
export type ReplayedWebhookDeliveries = components['schemas']['ReplayedWebhookDeliveries'];
export type ReplayWebhookDeliveryInput = components['schemas']['ReplayWebhookDeliveryInput'];
export type LimitsAndUsage = components['schemas']['LimitsAndUsage'];
export type CreateKey = components['schemas']['CreateKey'];
export type NewKey = components['schemas']['NewKey'];
export type ListKeysInput = components['schemas']['ListKeysInput'];
export type ListKeysReply = components['schemas']['ListKeysReply'];
export type Key = components['schemas']['Key'];
export type GetKeyResourcesInput = components['schemas']['GetKeyResourcesInput'];
export type KeyResources = components['schemas']['KeyResources'];
export type RevokeKeyInput = components['schemas']['RevokeKeyInput'];
export type ListAuditLogInput = components['schemas']['ListAuditLogInput'];
export type ListAuditLogReply = components['schemas']['ListAuditLogReply'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type OrderSent = components['schemas']['OrderSent'];
export type OrderHeld = components['schemas']['OrderHeld'];
export type ApprovalRequested = components['schemas']['ApprovalRequested'];
export type WalletLow = components['schemas']['WalletLow'];
export type LaneStuck = components['schemas']['LaneStuck'];
export type LimitReached = components['schemas']['LimitReached'];
export type ClaimClaimed = components['schemas']['ClaimClaimed'];
export type ClaimExpired = components['schemas']['ClaimExpired'];
export type TokenTransferred = components['schemas']['TokenTransferred'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type ErrorReply = components['schemas']['ErrorReply'];

/** What can be asked of the service. */
export interface Operations {
  /**
   * Health check
   *
   * Public. The data store is checked at most once a second.
   *
   * GET /health
   */
  getHealth(options?: RequestOptions): Promise<Health>;
  /**
   * List a document's earlier versions, newest first
   *
   * Each change of a document, its status included, keeps the version that it replaced. A page has at most 4 MB of documents, and so may have fewer than `limit`. Scope: `read`.
   *
   * GET /metadata/{id}/versions
   */
  listMetadataVersions(input: ListMetadataVersionsInput, options?: RequestOptions): List<ListMetadataVersionsReply>;
  /**
   * Read a token's public metadata
   *
   * Public. Contracts with this service as their base URI have token URIs that point here. 404 if no token was minted, or if nothing is left of a token that was burned; a certificate stays, because its check needs the document.
   *
   * GET /metadata/{contractAddress}/{tokenId}
   */
  getTokenMetadata(input: GetTokenMetadataInput, options?: RequestOptions): Promise<TokenMetadata>;
  /**
   * Read a collection's public metadata
   *
   * Public. `contractURI()` of contracts with this service as their base URI points here. The document of ERC-7572, as PUT /contracts/{id}/metadata has set it; until then the name and the symbol of a contract that this service has deployed. 404 for other contracts.
   *
   * GET /metadata/0x{contractAddress}
   */
  getCollection(input: GetCollectionInput, options?: RequestOptions): Promise<Collection>;
  /**
   * Read about a collection
   *
   * Public. What the collection page shows besides its document. 404 unless GET /metadata/{contractAddress} has a document.
   *
   * GET /collections/{chainId}/{contractAddress}
   */
  getCollectionFacts(input: GetCollectionFactsInput, options?: RequestOptions): Promise<CollectionFacts>;
  /**
   * List a collection's tokens, most recently minted first
   *
   * Public. GET /metadata/{contractAddress}/{tokenId} has the document of each token, unless it was burned.
   *
   * GET /collections/{chainId}/{contractAddress}/tokens
   */
  listCollectionTokens(input: ListCollectionTokensInput, options?: RequestOptions): Promise<CollectionTokens>;
  /**
   * List the metadata schemas
   *
   * Public. /docs/schemas shows them as tables.
   *
   * GET /schemas
   */
  listMetadataSchemas(options?: RequestOptions): Promise<MetadataSchemas>;
  /**
   * Read a metadata schema
   *
   * Public. A published schema never changes. It describes the public document of a token.
   *
   * GET /schemas/{schemaVersion}
   */
  getMetadataSchema(input: GetMetadataSchemaInput, options?: RequestOptions): Promise<JsonSchema>;
  /**
   * Read who an issuer is
   *
   * Public. Who the wallet is that has issued certificates of a contract (`issuerOf`), as the operator has confirmed it; what of it its domain proves, the caller must check. 404 if the operator has not confirmed it, or if the contract is not one of the wallet’s account whose creation proves that it, and the forwarder that it trusts, have published code: any other contract can name any wallet as its issuer.
   *
   * GET /issuers/{chainId}/{contractAddress}/{walletAddress}
   */
  getIssuer(input: GetIssuerInput, options?: RequestOptions): Promise<Issuer>;
  /**
   * Read how a contract was created
   *
   * Public. The calldata for the deployment proxy (0x4e59b44847b379578588920cA78FbF26c0B4956C) that created a contract with CREATE2. It proves itself: the contract's address is a hash of it (EIP-1014). 404 for contracts whose creation is not known, such as registered ones.
   *
   * GET /deployments/{chainId}/{contractAddress}
   */
  getDeployment(input: GetDeploymentInput, options?: RequestOptions): Promise<Deployment>;
  /**
   * Read why a certificate was revoked
   *
   * Public. The latest revocation of a certificate through this service. Whether it is revoked, when and by whom, the contract says (`revocationOf`). 404 if this service has revoked none.
   *
   * GET /certificates/{contractAddress}/{tokenId}/revocation
   */
  getPublicRevocation(input: GetPublicRevocationInput, options?: RequestOptions): Promise<PublicRevocation>;
  /**
   * Read a certificate as a verifiable credential
   *
   * Public. A W3C Verifiable Credential 2.0, and an Open Badge 3.0 if the trait `Type` is an achievement type, signed by the issuer. It stays the same when the certificate is revoked or burned: then its bit in the status list is set. 404 for certificates that this service has not issued or whose mint is not CONFIRMED, and if the service issues no credentials.
   *
   * GET /certificates/{contractAddress}/{tokenId}/credential
   */
  getCredential(input: GetCredentialInput, options?: RequestOptions): Promise<CertificateCredential>;
  /**
   * Read which certificates of an issuer are revoked
   *
   * Public. A Bitstring Status List, signed by the issuer. A bit is set while everything minted of the certificate was burned or revoked, by CONFIRMED orders or according to the index of transfers.
   *
   * GET /credentials/status/{issuerId}/{list}
   */
  getStatusList(input: GetStatusListInput, options?: RequestOptions): Promise<StatusListCredential>;
  /**
   * Read the keys of an issuer
   *
   * Public. The DID document (did:web) of an issuer under this service, with the keys of its credentials.
   *
   * GET /issuers/{issuerId}/did.json
   */
  getIssuerDidDocument(input: GetIssuerDidDocumentInput, options?: RequestOptions): Promise<IssuerDidDocument>;
  /**
   * Read the DID document of the service
   *
   * Public. The service controls the DIDs of its issuers, and signs nothing itself.
   *
   * GET /.well-known/did.json
   */
  getServiceDidDocument(options?: RequestOptions): Promise<ServiceDidDocument>;
  /**
   * Find the certificate of a product
   *
   * Public. A GS1 Digital Link: of certificates whose traits `GTIN` and `Serial Number` name the product. It leads to the check of the certificate, or with `Accept: application/vc` to the credential, if exactly one issuer that the operator has confirmed has issued any; otherwise the reply is 300 with all links. The query is passed on. The key qualifiers `/22/` and `/10/` may stand before `/21/`, and are not looked at. 404 if no certificate names the product, or none has a link of this type.
   *
   * GET /01/{gtin}/21/{serial}
   */
  resolveProduct(input: ResolveProductInput, options?: RequestOptions): Promise<Linkset>;
  /**
   * Read what the resolver of products supports
   *
   * Public. The description file of a GS1-Conformant Resolver.
   *
   * GET /.well-known/gs1resolver
   */
  getResolverDescription(options?: RequestOptions): Promise<ResolverDescription>;
  /**
   * Read the claim behind a link
   *
   * Public. What the link is for, who issues it, and its state. 404 if there is no such claim or the secret is wrong.
   *
   * POST /claims/{id}/open
   */
  openClaim(input: OpenClaimInput, options?: RequestOptions): Promise<LinkedClaim>;
  /**
   * Claim the token of a link
   *
   * Public. Names the receiver, once; the mint follows. The same receiver again gets the same reply. 403 if the PIN is wrong. 409 if it was claimed for another receiver, is cancelled, has expired, or ten wrong PINs were sent. 404 if there is no such claim or the secret is wrong.
   *
   * POST /claims/{id}/claim
   */
  claimToken(input: ClaimTokenInput, options?: RequestOptions): Promise<LinkedClaim>;
  /**
   * Deploy a token contract
   *
   * Accepted at once with status DEPLOYING and executed asynchronously. Poll it, or wait for contract.deployed. Scope: `deploy`.
   *
   * POST /contracts/deploy
   */
  deployContract(input: DeployContract, options?: WriteOptions): Promise<DeployedContract>;
  /**
   * Deploy an EIP-2771 forwarder
   *
   * Accepted at once with status DEPLOYING. Read it like any contract. Scope: `deploy`.
   *
   * POST /contracts/forwarder
   */
  deployForwarder(input: DeployForwarder, options?: WriteOptions): Promise<DeployedContract>;
  /**
   * Transfer the ownership of a contract
   *
   * Queued. Poll the job, or wait for ownership.transferred or ownership.failed. 409 while a transfer to the same owner is under way, and if the new owner would have to accept the contract (Ownable2Step). Scope: `ownership`.
   *
   * POST /contracts/transfer-ownership
   */
  transferOwnership(input: TransferOwnership, options?: WriteOptions): Promise<OwnershipTransfer>;
  /**
   * Read an ownership transfer
   *
   * Scope: `read`.
   *
   * GET /contracts/transfer-ownership/{id}
   */
  getOwnershipTransfer(input: GetOwnershipTransferInput, options?: RequestOptions): Promise<OwnershipTransfer>;
  /**
   * Announce on chain that metadata has changed
   *
   * The event MetadataUpdate (ERC-4906) of a token, or ContractURIUpdated (ERC-7572) of a collection, after which marketplaces read the public document again. A transaction by the wallet that owns the contract. 409 for a contract that has no function for it, for an ERC-721 token that was burned, and while an order for the same is under way. Scope: `mint`.
   *
   * POST /chain-notifications
   */
  notifyChain(input: NotifyChain, options?: WriteOptions): Promise<ChainNotification>;
  /**
   * Read a chain notification
   *
   * Scope: `read`.
   *
   * GET /chain-notifications/{id}
   */
  getChainNotification(input: GetChainNotificationInput, options?: RequestOptions): Promise<ChainNotification>;
  /**
   * Change a contract's base URI
   *
   * All its tokens then have their URIs under the new one, as when the service has moved to another domain. A transaction by the wallet that owns the contract; it emits BatchMetadataUpdate (ERC-4906), after which marketplaces read the documents again. 409 for certificates, whose base URI never changes, for a contract that has no function for it, and while another change of its base URI is under way. Scope: `ownership`.
   *
   * POST /contracts/base-uri
   */
  setBaseUri(input: SetBaseUri, options?: WriteOptions): Promise<BaseUriChange>;
  /**
   * Read a change of a contract's base URI
   *
   * Scope: `read`.
   *
   * GET /contracts/base-uri/{id}
   */
  getBaseUriChange(input: GetBaseUriChangeInput, options?: RequestOptions): Promise<BaseUriChange>;
  /**
   * Order a mint
   *
   * Accepted at once with status PENDING and executed exactly once, asynchronously. Poll it, or wait for mint.confirmed. 409 if the token exists or has an unfinished order, or the metadata is in use; the message says which. 502 if the chain must be read to know whether the token exists, and does not answer. Scope: `mint`.
   *
   * POST /minting/order
   */
  orderMint(input: CreateMintingOrder, options?: WriteOptions): Promise<MintingOrder>;
  /**
   * Order up to 100 mints
   *
   * Each is accepted or refused individually; the results are in the order of the request. Retry-After if all are refused with 429. Scope: `mint`.
   *
   * POST /minting/orders/batch
   */
  orderMints(input: CreateMintingOrders, options?: WriteOptions): Promise<MintingOrdersResult>;
  /**
   * Sign a mint, for tests
   *
   * Only if TRANSFER_TEST_SIGNATURE is true. Pass the values to POST /minting/relay unchanged. Scope: `mint`.
   *
   * POST /minting/signature
   */
  signMint(input: SignMint, options?: RequestOptions): Promise<MintSignature>;
  /**
   * Prepare a mint for the contract's owner to sign
   *
   * The typed data (EIP-712) with the contract's forwarder, 1.2 times the estimated gas, and the signer's next nonce, which is not reserved. Nothing is signed. Send the signature to POST /minting/relay with the same fields, and `gas`, `nonce`, `verifyingContract` and `deadline` of this reply as `gasLimit`, `forwarderNonce`, `forwarderAddress` and `deadline`. Scope: `mint`.
   *
   * POST /minting/prepare
   */
  prepareMint(input: PrepareMint, options?: RequestOptions): Promise<PreparedRequest>;
  /**
   * Order a mint that the contract's owner signed
   *
   * The account's wallet pays. Accepted at once with status QUEUED and executed at most once, however often the same signed request is posted. Poll GET /minting/{id}, or wait for mint.confirmed. Scope: `mint`.
   *
   * POST /minting/relay
   */
  relayMint(input: RelayMint, options?: WriteOptions): Promise<RelayedMintingOrder>;
  /**
   * Check whether a token id and metadata are free
   *
   * Applies the same rules as an order. Without metadataId only the token is checked. Scope: `read`.
   *
   * POST /minting/occupancy/check
   */
  checkOccupancy(input: CheckOccupancy, options?: RequestOptions): Promise<Occupancy>;
  /**
   * List minting orders, newest first
   *
   * Scope: `read`.
   *
   * GET /minting
   */
  listMintingOrders(input?: ListMintingOrdersInput, options?: RequestOptions): List<ListMintingOrdersReply>;
  /**
   * Read a minting order by its transaction
   *
   * Only orders with a recorded transaction are found. One transaction may carry out many mints: the first is returned; GET /minting?txHash= lists all Scope: `read`.
   *
   * GET /minting/by-tx/{txHash}
   */
  getMintingOrderByTransaction(input: GetMintingOrderByTransactionInput, options?: RequestOptions): Promise<MintingOrder>;
  /**
   * Read the orders of a token
   *
   * The newest 1000, newest first. Scope: `read`.
   *
   * GET /minting/by-token
   */
  listMintingOrdersOfToken(input: ListMintingOrdersOfTokenInput, options?: RequestOptions): Promise<ListMintingOrdersOfTokenReply>;
  /**
   * Read a minting order
   *
   * Scope: `read`.
   *
   * GET /minting/{id}
   */
  getMintingOrder(input: GetMintingOrderInput, options?: RequestOptions): Promise<MintingOrder>;
  /**
   * Make a claim link
   *
   * Orders a mint whose receiver is named by whoever claims the link. Until then, the token and metadata are reserved and nothing is sent. Only this reply has the link. 409 as for POST /minting/order, or if each token of tokenIds has an order. Scope: `mint`.
   *
   * POST /claims
   */
  createClaim(input: CreateClaim, options?: WriteOptions): Promise<NewClaim>;
  /**
   * List claims, newest first
   *
   * Scope: `read`.
   *
   * GET /claims
   */
  listClaims(input?: ListClaimsInput, options?: RequestOptions): List<ListClaimsReply>;
  /**
   * Make up to 100 claim links
   *
   * Each is accepted or refused individually; the results are in the order of the request. Only this reply has the links. The ranges of a request have 10,000 ids at most; one that several claims name counts once. Retry-After if all are refused with 429. Scope: `mint`.
   *
   * POST /claims/batch
   */
  createClaims(input: CreateClaims, options?: WriteOptions): Promise<ClaimsResult>;
  /**
   * Read a claim
   *
   * Scope: `read`.
   *
   * GET /claims/{id}
   */
  getClaim(input: GetClaimInput, options?: RequestOptions): Promise<Claim>;
  /**
   * Cancel a claim
   *
   * Its link can no longer be used; its minting order is CANCELLED, which frees token and metadata. 409 if it is claimed, cancelled or expired; to cancel the order of a claimed one, use POST /minting/cancel. Scope: `mint`.
   *
   * POST /claims/{id}/cancel
   */
  cancelClaim(input: CancelClaimInput, options?: WriteOptions): Promise<Claim>;
  /**
   * Sign a transfer, for tests
   *
   * Only if TRANSFER_TEST_SIGNATURE is true. In production the holder signs with a wallet. Scope: `transfer`.
   *
   * POST /transfer/signature
   */
  signTransfer(input: SignTransfer, options?: RequestOptions): Promise<TransferSignature>;
  /**
   * Prepare a transfer for its holder to sign
   *
   * The typed data (EIP-712) with the contract's forwarder, 1.2 times the estimated gas, and the signer's next nonce, which is not reserved. Nothing is signed. Send the signature to POST /transfer/execute with the same fields, and `gas`, `nonce`, `verifyingContract` and `deadline` of this reply as `gasLimit`, `forwarderNonce`, `forwarderAddress` and `deadline`. With `purpose` cancel: a request that only uses up the nonce of one that its signer revokes. Send `purpose` with the signature. Scope: `transfer`.
   *
   * POST /transfer/prepare
   */
  prepareTransfer(input: PrepareTransferInput, options?: RequestOptions): Promise<PreparedRequest>;
  /**
   * Execute a transfer that its holder signed
   *
   * The account's wallet pays. Accepted at once with status PENDING and executed at most once, however often the same signed request is posted. Poll it, or wait for transfer.confirmed. With `purpose` cancel, a request that only uses up its signer's nonce: wait for revocation.confirmed. Scope: `transfer`.
   *
   * POST /transfer/execute
   */
  executeTransfer(input: ExecuteTransferInput, options?: WriteOptions): Promise<TransferOrder>;
  /**
   * List transfer orders, newest first
   *
   * Scope: `read`.
   *
   * GET /transfer
   */
  listTransferOrders(input?: ListTransferOrdersInput, options?: RequestOptions): List<ListTransferOrdersReply>;
  /**
   * Read a transfer order by its transaction
   *
   * Scope: `read`.
   *
   * GET /transfer/by-tx/{txHash}
   */
  getTransferOrderByTransaction(input: GetTransferOrderByTransactionInput, options?: RequestOptions): Promise<TransferOrder>;
  /**
   * Read a transfer order
   *
   * Scope: `read`.
   *
   * GET /transfer/{id}
   */
  getTransferOrder(input: GetTransferOrderInput, options?: RequestOptions): Promise<TransferOrder>;
  /**
   * Prepare a burn for its holder to sign
   *
   * The typed data (EIP-712) with the contract's forwarder, 1.2 times the estimated gas, and the signer's next nonce, which is not reserved. Nothing is signed. Send the signature to POST /burn/execute with the same fields, and `gas`, `nonce`, `verifyingContract` and `deadline` of this reply as `gasLimit`, `forwarderNonce`, `forwarderAddress` and `deadline`. Scope: `transfer`.
   *
   * POST /burn/prepare
   */
  prepareBurn(input: PrepareBurn, options?: RequestOptions): Promise<PreparedRequest>;
  /**
   * Execute a burn that its holder signed
   *
   * The account's wallet pays. Accepted at once with status PENDING and executed at most once, however often the same signed request is posted. Poll it, or wait for burn.confirmed. What is burned cannot be restored. The public metadata of a token of which nothing is left is 404; that of a certificate stays. Scope: `transfer`.
   *
   * POST /burn/execute
   */
  executeBurn(input: ExecuteBurn, options?: WriteOptions): Promise<BurnOrder>;
  /**
   * List burn orders, newest first
   *
   * Scope: `read`.
   *
   * GET /burn
   */
  listBurnOrders(input?: ListBurnOrdersInput, options?: RequestOptions): List<ListBurnOrdersReply>;
  /**
   * Read a burn order by its transaction
   *
   * Scope: `read`.
   *
   * GET /burn/by-tx/{txHash}
   */
  getBurnOrderByTransaction(input: GetBurnOrderByTransactionInput, options?: RequestOptions): Promise<BurnOrder>;
  /**
   * Read a burn order
   *
   * Scope: `read`.
   *
   * GET /burn/{id}
   */
  getBurnOrder(input: GetBurnOrderInput, options?: RequestOptions): Promise<BurnOrder>;
  /**
   * Revoke a certificate
   *
   * For contracts that were deployed with `burnAuth` issuer or both. The account's wallet, which must own the contract, burns the certificate. Queued: poll the order, or wait for certificate-revocation.confirmed. The certificate check then says that it was revoked, when and by whom. Each request is an order of its own: send an Idempotency-Key. Scope: `revoke`.
   *
   * POST /certificates/revoke
   */
  revokeCertificate(input: RevokeCertificate, options?: WriteOptions): Promise<CertificateRevocation>;
  /**
   * List revocations of certificates, newest first
   *
   * Scope: `read`.
   *
   * GET /certificates/revoke
   */
  listCertificateRevocations(input?: ListCertificateRevocationsInput, options?: RequestOptions): List<ListCertificateRevocationsReply>;
  /**
   * Revoke up to 100 certificates
   *
   * Each is accepted or refused individually, as by POST /certificates/revoke; the results are in the order of the request. Each counts as a read. Retry-After if all are refused with 429. Scope: `revoke`.
   *
   * POST /certificates/revoke/batch
   */
  revokeCertificates(input: RevokeCertificates, options?: WriteOptions): Promise<CertificateRevocationsResult>;
  /**
   * Read the revocation of a certificate by its transaction
   *
   * Scope: `read`.
   *
   * GET /certificates/revoke/by-tx/{txHash}
   */
  getCertificateRevocationByTransaction(input: GetCertificateRevocationByTransactionInput, options?: RequestOptions): Promise<CertificateRevocation>;
  /**
   * Read the revocation of a certificate
   *
   * Scope: `read`.
   *
   * GET /certificates/revoke/{id}
   */
  getCertificateRevocation(input: GetCertificateRevocationInput, options?: RequestOptions): Promise<CertificateRevocation>;
  /**
   * Revoke a certificate and issue it to another holder
   *
   * Two orders, accepted together: that of POST /certificates/revoke, and one that mints the same token id with the same document to `receiverAddress`. The mint waits until the revocation is CONFIRMED, and is CANCELLED if that is FAILED or CANCELLED; cancel it alone, and the certificate is only revoked. 409 if the account has not minted the certificate here. Each request makes new orders: send an Idempotency-Key. A key also needs the scope `mint`. Scope: `revoke`.
   *
   * POST /certificates/reissue
   */
  reissueCertificate(input: ReissueCertificate, options?: WriteOptions): Promise<ReissuedCertificate>;
  /**
   * Cancel: minting order
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `mint`.
   *
   * POST /minting/cancel
   */
  cancelMintingOrder(input: CancelOrder, options?: WriteOptions): Promise<MintingOrder>;
  /**
   * Cancel: transfer order
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `transfer`.
   *
   * POST /transfer/cancel
   */
  cancelTransferOrder(input: CancelOrder, options?: WriteOptions): Promise<TransferOrder>;
  /**
   * Cancel: burn order
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `transfer`.
   *
   * POST /burn/cancel
   */
  cancelBurnOrder(input: CancelOrder, options?: WriteOptions): Promise<BurnOrder>;
  /**
   * Cancel: certificate revocation
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `revoke`.
   *
   * POST /certificates/revoke/cancel
   */
  cancelCertificateRevocation(input: CancelOrder, options?: WriteOptions): Promise<CertificateRevocation>;
  /**
   * Cancel: ownership transfer
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `ownership`.
   *
   * POST /contracts/transfer-ownership/cancel
   */
  cancelOwnershipTransfer(input: CancelOrder, options?: WriteOptions): Promise<OwnershipTransfer>;
  /**
   * Cancel: chain notification
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `mint`.
   *
   * POST /chain-notifications/cancel
   */
  cancelChainNotification(input: CancelOrder, options?: WriteOptions): Promise<ChainNotification>;
  /**
   * Cancel: base-uri change
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `ownership`.
   *
   * POST /contracts/base-uri/cancel
   */
  cancelBaseUriChange(input: CancelOrder, options?: WriteOptions): Promise<BaseUriChange>;
  /**
   * Cancel: contract
   *
   * CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended. Scope: `deploy`.
   *
   * POST /contracts/cancel
   */
  cancelContract(input: CancelOrder, options?: WriteOptions): Promise<DeployedContract>;
  /**
   * List approvals, newest first
   *
   * Scope: `read`.
   *
   * GET /approvals
   */
  listApprovals(input?: ListApprovalsInput, options?: RequestOptions): List<ListApprovalsReply>;
  /**
   * Read whether the account requires a second person
   *
   * Scope: `read`.
   *
   * GET /approvals/setting
   */
  getApprovalSetting(options?: RequestOptions): Promise<ApprovalSetting>;
  /**
   * Set whether the account requires a second person
   *
   * With the admin key, or a key that also has the scope `keys`. A key can only request to switch it off; a second person must approve that. Scope: `ownership`.
   *
   * POST /approvals/setting
   */
  setApprovalSetting(input: SetApprovals, options?: WriteOptions): Promise<ChangedApprovalSetting>;
  /**
   * Read an approval
   *
   * Scope: `read`.
   *
   * GET /approvals/{id}
   */
  getApproval(input: GetApprovalInput, options?: RequestOptions): Promise<Approval>;
  /**
   * Approve as the second person
   *
   * The order is carried out. With the admin key, or a key that has no ancestor in common with the one that asked for it. 409 if it is decided, cancelled or expired. Scope: `ownership`.
   *
   * POST /approvals/{id}/approve
   */
  approveRequest(input: ApproveRequestInput, options?: WriteOptions): Promise<Approval>;
  /**
   * Refuse as the second person
   *
   * The order is CANCELLED. With the admin key, or a key that has no ancestor in common with the one that asked for it. 409 if it is decided, cancelled or expired. Scope: `ownership`.
   *
   * POST /approvals/{id}/refuse
   */
  refuseRequest(input: RefuseRequestInput, options?: WriteOptions): Promise<Approval>;
  /**
   * Call a view function
   *
   * Costs no gas. The reply is the raw value: integers as decimal strings, bytes as hex. Scope: `read`.
   *
   * POST /contracts/read
   */
  readContract(input: ReadContract, options?: RequestOptions): Promise<ReadContractReply>;
  /**
   * Register a contract that was deployed elsewhere
   *
   * Lets the account act on it as on a contract that it deployed here. The contract must have code, must say which standard it implements (ERC-165), and the account's wallet must be its owner. 409 if the wallet is not, or if a contract with this address is registered already, by any account or on another chain. Repeating it gets the same record. Scope: `deploy`.
   *
   * POST /contracts/register
   */
  registerContract(input: RegisterContract, options?: WriteOptions): Promise<DeployedContract>;
  /**
   * List contracts and forwarders, newest first
   *
   * Scope: `read`.
   *
   * GET /contracts
   */
  listContracts(input?: ListContractsInput, options?: RequestOptions): List<ListContractsReply>;
  /**
   * Read a contract
   *
   * Scope: `read`.
   *
   * GET /contracts/{id}
   */
  getContract(input: GetContractInput, options?: RequestOptions): Promise<DeployedContract>;
  /**
   * Unregister a contract
   *
   * It is no longer one of the ACTIVE contracts: its record is FAILED, without an address, and anyone whose wallet owns the contract can register it again. Orders and claims that were accepted are carried out unless they are cancelled, and the documents of its tokens stay public. 409 for a contract that this service has deployed. Repeating it changes nothing. Scope: `deploy`.
   *
   * DELETE /contracts/{id}
   */
  unregisterContract(input: UnregisterContractInput, options?: RequestOptions): Promise<void>;
  /**
   * Read the metadata of a contract's collection
   *
   * As the account set it; 404 if it has not set any. Scope: `read`.
   *
   * GET /contracts/{id}/metadata
   */
  getCollectionMetadata(input: GetCollectionMetadataInput, options?: RequestOptions): Promise<CollectionMetadata>;
  /**
   * Set the metadata of a contract's collection
   *
   * What marketplaces show about the collection, in the fields of ERC-7572; omitted fields are removed. The public document at `contractURI()` changes too, if that leads to this service. Repeating the same content makes no version. 409 for a forwarder. Scope: `metadata`.
   *
   * PUT /contracts/{id}/metadata
   */
  replaceCollectionMetadata(input: ReplaceCollectionMetadataInput, options?: RequestOptions): Promise<CollectionMetadata>;
  /**
   * List all versions of a collection's metadata, newest first
   *
   * Scope: `read`.
   *
   * GET /contracts/{id}/metadata/versions
   */
  listCollectionMetadataVersions(input: ListCollectionMetadataVersionsInput, options?: RequestOptions): List<ListCollectionMetadataVersionsReply>;
  /**
   * Create a metadata document
   *
   * Stored without a token. A confirmed mint links it to one. Scope: `metadata`.
   *
   * POST /metadata
   */
  createMetadata(input: CreateMetadata, options?: WriteOptions): Promise<Metadata>;
  /**
   * List metadata documents, newest first
   *
   * A page has at most 4 MB of documents, and so may have fewer than `limit`. Scope: `read`.
   *
   * GET /metadata
   */
  listMetadata(input?: ListMetadataInput, options?: RequestOptions): List<ListMetadataReply>;
  /**
   * Read the rules for statuses
   *
   * Scope: `read`.
   *
   * GET /metadata/status-rules
   */
  getStatusRules(input?: GetStatusRulesInput, options?: RequestOptions): Promise<StatusRules>;
  /**
   * Replace the rules for statuses
   *
   * Which statuses documents of a type can have, and which may follow each. They apply to new documents and to every change from then on. Scope: `metadata`.
   *
   * PUT /metadata/status-rules
   */
  replaceStatusRules(input: ReplaceStatusRulesInput, options?: RequestOptions): Promise<StatusRules>;
  /**
   * Read a metadata document
   *
   * The document as its account sees it. The public document of a minted token has its own route. Scope: `read`.
   *
   * GET /metadata/{id}
   */
  getMetadata(input: GetMetadataInput, options?: RequestOptions): Promise<Metadata>;
  /**
   * Edit a metadata document
   *
   * A JSON Merge Patch (RFC 7396) of the body of POST /metadata: what it names is replaced, null removes a key, a list is replaced as a whole. Before and after the mint; the public document changes too. The document that results is validated. Its chain and utility.type stay, and a status changes only by the rules. 409 for a certificate and for a frozen document. Scope: `metadata`.
   *
   * PATCH /metadata/{id}
   */
  editMetadata(input: EditMetadataInput, options?: RequestOptions): Promise<Metadata>;
  /**
   * Set the status
   *
   * Updates currentStatus, utility.data.status and the Status trait together, and the public document. With `expected`, or by the rules for statuses, one of several concurrent requests succeeds; the others are 409 with the currentStatus. A certificate never changes: 409. A key with neither of the scopes `metadata` and `read` gets `_id`, `currentStatus` and `version` alone. Scope: `status` or `metadata`.
   *
   * POST /metadata/{id}/status
   */
  setMetadataStatus(input: SetMetadataStatusInput, options?: WriteOptions): Promise<SetMetadataStatusReply>;
  /**
   * Freeze a metadata document permanently
   *
   * PATCH is 409 from then on. The status still changes by the rules. Repeating it changes nothing. Scope: `metadata`.
   *
   * POST /metadata/{id}/freeze
   */
  freezeMetadata(input: FreezeMetadataInput, options?: WriteOptions): Promise<Metadata>;
  /**
   * List the NFTs of a wallet
   *
   * NFTs of registered ACTIVE contracts, from the NFT index; where none is configured, of own contracts from the transfers that they report (see `GET /holdings`). A page may be empty although more follow; the last page has nextPageToken null. Scope: `read`.
   *
   * GET /api/wallet/nfts
   */
  listWalletNfts(input: ListWalletNftsInput, options?: RequestOptions): List<WalletNfts>;
  /**
   * List who holds the tokens of the account's contracts
   *
   * From the transfers that the contracts report, whoever made them. A minute or two behind the chain; `onChain` of `GET /contracts` says up to which block, and why a contract's holdings are incomplete. The list is not ordered by time. Scope: `read`.
   *
   * GET /holdings
   */
  listHoldings(input?: ListHoldingsInput, options?: RequestOptions): List<ListHoldingsReply>;
  /**
   * Upload a file
   *
   * At most 20 MB. The media type is detected from the content. Scope: `metadata`.
   *
   * POST /assets/upload
   */
  uploadAsset(input: UploadAssetInput, options?: RequestOptions): Promise<Asset>;
  /**
   * Upload a file of metadata, mints or both
   *
   * Reads the file as it arrives; then its rows are checked, and nothing is made before POST /imports/{id}/start. CSV in UTF-8, separated by commas, semicolons or tabs, with the columns of GET /imports/template; or JSON lines, each the body of a request. At most 100000 rows and 100 MB. Scopes: `metadata` for metadata, `mint` for mints, both for tokens. 409 if the account has 100 imports that have not ended, or 1 GB of their files. Scope: `mint` or `metadata`.
   *
   * POST /imports
   */
  createImport(input: CreateImportInput, options?: RequestOptions): Promise<Import>;
  /**
   * List imports, newest first
   *
   * Scope: `read`.
   *
   * GET /imports
   */
  listImports(input?: ListImportsInput, options?: RequestOptions): List<ListImportsReply>;
  /**
   * Read a template for a file
   *
   * CSV with the columns of the kind and of the schema, and one row as an example. Scope: `read`.
   *
   * GET /imports/template
   */
  getImportTemplate(input: GetImportTemplateInput, options?: RequestOptions): Promise<GetImportTemplateReply>;
  /**
   * Read an import
   *
   * Its progress, and what the check found. Kept for 30 days after its last change. Scope: `read`.
   *
   * GET /imports/{id}
   */
  getImport(input: GetImportInput, options?: RequestOptions): Promise<Import>;
  /**
   * Start an import
   *
   * Its rows are accepted or rejected as by POST /metadata and POST /minting/order, on behalf of the caller. 409 if it is not CHECKED, or has faults and skipFaulty is not true. Scope: `mint` or `metadata`.
   *
   * POST /imports/{id}/start
   */
  startImport(input: StartImportInput, options?: WriteOptions): Promise<Import>;
  /**
   * Read the result of every row
   *
   * CSV: the row; its status, which is CREATED for a document, that of the mint, REFUSED or NOT_ACCEPTED; the ids of what was made; token, transaction and error. Before the end of the import, what is known so far. Scope: `read`.
   *
   * GET /imports/{id}/result
   */
  getImportResult(input: GetImportResultInput, options?: RequestOptions): Promise<GetImportResultReply>;
  /**
   * Pause an import
   *
   * Rows being accepted at this moment, up to 100, are finished. 409 if it is not RUNNING. Scope: `mint` or `metadata`.
   *
   * POST /imports/{id}/pause
   */
  pauseImport(input: PauseImportInput, options?: WriteOptions): Promise<Import>;
  /**
   * Resume an import
   *
   * From then on, its rows are accepted on behalf of the caller. 409 if it is not PAUSED. Scope: `mint` or `metadata`.
   *
   * POST /imports/{id}/resume
   */
  resumeImport(input: ResumeImportInput, options?: WriteOptions): Promise<Import>;
  /**
   * Cancel an import
   *
   * No further row is accepted, except those that are being accepted at this moment, up to 100. What was accepted stays: its mints can be cancelled with POST /minting/cancel. 409 if it has ended. Scope: `mint` or `metadata`.
   *
   * POST /imports/{id}/cancel
   */
  cancelImport(input: CancelImportInput, options?: WriteOptions): Promise<Import>;
  /**
   * Create a webhook endpoint
   *
   * An account can have 16. Only this reply has the secret that signs its events. An endpoint that a key creates gets the events of chains of the key's kind. Scope: `webhooks`.
   *
   * POST /webhooks/endpoints
   */
  createWebhookEndpoint(input: CreateWebhookEndpoint, options?: WriteOptions): Promise<WebhookEndpointWithSecret>;
  /**
   * List the webhook endpoints
   *
   * Oldest first. The account's webhook, which the operator sets, is one of them. Scope: `webhooks`.
   *
   * GET /webhooks/endpoints
   */
  listWebhookEndpoints(options?: RequestOptions): Promise<ListWebhookEndpointsReply>;
  /**
   * Read a webhook endpoint
   *
   * Scope: `webhooks`.
   *
   * GET /webhooks/endpoints/{id}
   */
  getWebhookEndpoint(input: GetWebhookEndpointInput, options?: RequestOptions): Promise<WebhookEndpoint>;
  /**
   * Change a webhook endpoint
   *
   * Changes the given fields. 409 for the endpoint that the operator sets. Scope: `webhooks`.
   *
   * PATCH /webhooks/endpoints/{id}
   */
  changeWebhookEndpoint(input: ChangeWebhookEndpointInput, options?: RequestOptions): Promise<WebhookEndpoint>;
  /**
   * Delete a webhook endpoint
   *
   * Its unfinished deliveries end as SKIPPED. Its deliveries can still be read. Scope: `webhooks`.
   *
   * DELETE /webhooks/endpoints/{id}
   */
  deleteWebhookEndpoint(input: DeleteWebhookEndpointInput, options?: RequestOptions): Promise<void>;
  /**
   * Rotate the secret of a webhook endpoint
   *
   * Only this reply has the secret. For 24 hours events are signed with both; a second rotation within that time expires the first secret at once. Scope: `webhooks`.
   *
   * POST /webhooks/endpoints/{id}/rotate-secret
   */
  rotateWebhookSecret(input: RotateWebhookSecretInput, options?: WriteOptions): Promise<WebhookEndpointWithSecret>;
  /**
   * Send a test event to a webhook endpoint
   *
   * An event of type webhook.test, whatever event types the endpoint names. Scope: `webhooks`.
   *
   * POST /webhooks/endpoints/{id}/test
   */
  testWebhookEndpoint(input: TestWebhookEndpointInput, options?: WriteOptions): Promise<WebhookDeliveryWithPayload>;
  /**
   * List webhook deliveries, newest first
   *
   * One for each endpoint that gets an event, with its attempts. Scope: `webhooks`.
   *
   * GET /webhooks/deliveries
   */
  listWebhookDeliveries(input?: ListWebhookDeliveriesInput, options?: RequestOptions): List<ListWebhookDeliveriesReply>;
  /**
   * Read a webhook delivery
   *
   * Scope: `webhooks`.
   *
   * GET /webhooks/deliveries/{id}
   */
  getWebhookDelivery(input: GetWebhookDeliveryInput, options?: RequestOptions): Promise<WebhookDeliveryWithPayload>;
  /**
   * Replay failed webhook deliveries
   *
   * The FAILED deliveries to enabled endpoints, oldest first, until the account has 1,000 unfinished deliveries. Scope: `webhooks`.
   *
   * POST /webhooks/deliveries/replay
   */
  replayWebhookDeliveries(input: ReplayWebhookDeliveries, options?: WriteOptions): Promise<ReplayedWebhookDeliveries>;
  /**
   * Replay a webhook delivery
   *
   * One that has ended, in any state: the same event with the same id and body, up to five attempts. Scope: `webhooks`.
   *
   * POST /webhooks/deliveries/{id}/replay
   */
  replayWebhookDelivery(input: ReplayWebhookDeliveryInput, options?: WriteOptions): Promise<WebhookDelivery>;
  /**
   * Read the account's limits
   *
   * Set by the operator. Includes current usage. Scope: `read`.
   *
   * GET /limits
   */
  getLimits(options?: RequestOptions): Promise<LimitsAndUsage>;
  /**
   * Create a key
   *
   * Only this reply has the key itself. A key cannot create a more powerful key. Scope: `keys`.
   *
   * POST /keys
   */
  createKey(input: CreateKey, options?: WriteOptions): Promise<NewKey>;
  /**
   * List keys, newest first
   *
   * Without revoked keys. A key sees those of its own kind. Scope: `keys`.
   *
   * GET /keys
   */
  listKeys(input?: ListKeysInput, options?: RequestOptions): List<ListKeysReply>;
  /**
   * Read what outlives a key
   *
   * What was made with the key, revoked or not, and works without it. `DELETE /keys/{id}?endResources=true` ends it, but for collection metadata, which `PUT /contracts/{id}/metadata` replaces. The audit log has all that a key has done. Scope: `keys`.
   *
   * GET /keys/{id}/resources
   */
  getKeyResources(input: GetKeyResourcesInput, options?: RequestOptions): Promise<KeyResources>;
  /**
   * Revoke a key
   *
   * Within two seconds it is rejected everywhere. Revoking it again changes nothing. Scope: `keys`.
   *
   * DELETE /keys/{id}
   */
  revokeKey(input: RevokeKeyInput, options?: RequestOptions): Promise<void>;
  /**
   * List the changes requested in the account, newest first
   *
   * A key sees what was asked for with keys of its own kind, and by the operator. Scope: `keys`.
   *
   * GET /audit
   */
  listAuditLog(input?: ListAuditLogInput, options?: RequestOptions): List<ListAuditLogReply>;
}

/** The reply about an order of any kind. */
export type OrderReply = MintingOrder | TransferOrder | BurnOrder | CertificateRevocation | OwnershipTransfer | ChainNotification | BaseUriChange | DeployedContract;

/** How orders of each kind are told from others, by a field that only they have, and what reads them. */
export const ORDERS = [
  {"title":"minting order","mark":"receiverAddress","read":"getMintingOrder"},
  {"title":"transfer order","mark":"purpose","read":"getTransferOrder"},
  {"title":"burn order","mark":"burnGasUsed","read":"getBurnOrder"},
  {"title":"certificate revocation","mark":"reason","read":"getCertificateRevocation"},
  {"title":"ownership transfer","mark":"jobId","read":"getOwnershipTransfer"},
  {"title":"chain notification","mark":"notificationGasUsed","read":"getChainNotification"},
  {"title":"base-uri change","mark":"baseUriGasUsed","read":"getBaseUriChange"},
  {"title":"contract","mark":"_id","read":"getContract"},
] as const;

/** How each operation is sent. */
export const OPERATIONS: Readonly<Record<keyof Operations, Operation>> = {
  getHealth: {"method":"GET","path":"/health","isPublic":true},
  listMetadataVersions: {"method":"GET","path":"/metadata/{id}/versions","query":["limit","cursor"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getTokenMetadata: {"method":"GET","path":"/metadata/{contractAddress}/{tokenId}","isPublic":true},
  getCollection: {"method":"GET","path":"/metadata/0x{contractAddress}","isPublic":true},
  getCollectionFacts: {"method":"GET","path":"/collections/{chainId}/{contractAddress}","isPublic":true},
  listCollectionTokens: {"method":"GET","path":"/collections/{chainId}/{contractAddress}/tokens","query":["before"],"isPublic":true},
  listMetadataSchemas: {"method":"GET","path":"/schemas","isPublic":true},
  getMetadataSchema: {"method":"GET","path":"/schemas/{schemaVersion}","isPublic":true},
  getIssuer: {"method":"GET","path":"/issuers/{chainId}/{contractAddress}/{walletAddress}","isPublic":true},
  getDeployment: {"method":"GET","path":"/deployments/{chainId}/{contractAddress}","isPublic":true},
  getPublicRevocation: {"method":"GET","path":"/certificates/{contractAddress}/{tokenId}/revocation","isPublic":true},
  getCredential: {"method":"GET","path":"/certificates/{contractAddress}/{tokenId}/credential","isPublic":true},
  getStatusList: {"method":"GET","path":"/credentials/status/{issuerId}/{list}","isPublic":true},
  getIssuerDidDocument: {"method":"GET","path":"/issuers/{issuerId}/did.json","isPublic":true},
  getServiceDidDocument: {"method":"GET","path":"/.well-known/did.json","isPublic":true},
  resolveProduct: {"method":"GET","path":"/01/{gtin}/21/{serial}","query":["linkType"],"isPublic":true},
  getResolverDescription: {"method":"GET","path":"/.well-known/gs1resolver","isPublic":true},
  openClaim: {"method":"POST","path":"/claims/{id}/open","body":"json","isPublic":true},
  claimToken: {"method":"POST","path":"/claims/{id}/claim","body":"json","isPublic":true},
  deployContract: {"method":"POST","path":"/contracts/deploy","body":"json","takesKey":true},
  deployForwarder: {"method":"POST","path":"/contracts/forwarder","body":"json","takesKey":true},
  transferOwnership: {"method":"POST","path":"/contracts/transfer-ownership","body":"json","takesKey":true},
  getOwnershipTransfer: {"method":"GET","path":"/contracts/transfer-ownership/{id}"},
  notifyChain: {"method":"POST","path":"/chain-notifications","body":"json","takesKey":true},
  getChainNotification: {"method":"GET","path":"/chain-notifications/{id}"},
  setBaseUri: {"method":"POST","path":"/contracts/base-uri","body":"json","takesKey":true},
  getBaseUriChange: {"method":"GET","path":"/contracts/base-uri/{id}"},
  orderMint: {"method":"POST","path":"/minting/order","body":"json","takesKey":true},
  orderMints: {"method":"POST","path":"/minting/orders/batch","body":"json","takesKey":true},
  signMint: {"method":"POST","path":"/minting/signature","body":"json"},
  prepareMint: {"method":"POST","path":"/minting/prepare","body":"json"},
  relayMint: {"method":"POST","path":"/minting/relay","body":"json","takesKey":true},
  checkOccupancy: {"method":"POST","path":"/minting/occupancy/check","body":"json"},
  listMintingOrders: {"method":"GET","path":"/minting","query":["limit","cursor","createdFrom","createdTo","status","contractAddress","txHash","receiverAddress"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getMintingOrderByTransaction: {"method":"GET","path":"/minting/by-tx/{txHash}"},
  listMintingOrdersOfToken: {"method":"GET","path":"/minting/by-token","query":["contractAddress","tokenId"]},
  getMintingOrder: {"method":"GET","path":"/minting/{id}"},
  createClaim: {"method":"POST","path":"/claims","body":"json","takesKey":true},
  listClaims: {"method":"GET","path":"/claims","query":["limit","cursor","createdFrom","createdTo","status","contractAddress"],"page":{"next":"nextCursor","parameter":"cursor"}},
  createClaims: {"method":"POST","path":"/claims/batch","body":"json","takesKey":true},
  getClaim: {"method":"GET","path":"/claims/{id}"},
  cancelClaim: {"method":"POST","path":"/claims/{id}/cancel","takesKey":true},
  signTransfer: {"method":"POST","path":"/transfer/signature","body":"json"},
  prepareTransfer: {"method":"POST","path":"/transfer/prepare","body":"json"},
  executeTransfer: {"method":"POST","path":"/transfer/execute","body":"json","takesKey":true},
  listTransferOrders: {"method":"GET","path":"/transfer","query":["limit","cursor","createdFrom","createdTo","status","contractAddress","txHash","from"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getTransferOrderByTransaction: {"method":"GET","path":"/transfer/by-tx/{txHash}"},
  getTransferOrder: {"method":"GET","path":"/transfer/{id}"},
  prepareBurn: {"method":"POST","path":"/burn/prepare","body":"json"},
  executeBurn: {"method":"POST","path":"/burn/execute","body":"json","takesKey":true},
  listBurnOrders: {"method":"GET","path":"/burn","query":["limit","cursor","createdFrom","createdTo","status","contractAddress","txHash","from"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getBurnOrderByTransaction: {"method":"GET","path":"/burn/by-tx/{txHash}"},
  getBurnOrder: {"method":"GET","path":"/burn/{id}"},
  revokeCertificate: {"method":"POST","path":"/certificates/revoke","body":"json","takesKey":true},
  listCertificateRevocations: {"method":"GET","path":"/certificates/revoke","query":["limit","cursor","createdFrom","createdTo","status","contractAddress","txHash","from"],"page":{"next":"nextCursor","parameter":"cursor"}},
  revokeCertificates: {"method":"POST","path":"/certificates/revoke/batch","body":"json","takesKey":true},
  getCertificateRevocationByTransaction: {"method":"GET","path":"/certificates/revoke/by-tx/{txHash}"},
  getCertificateRevocation: {"method":"GET","path":"/certificates/revoke/{id}"},
  reissueCertificate: {"method":"POST","path":"/certificates/reissue","body":"json","takesKey":true},
  cancelMintingOrder: {"method":"POST","path":"/minting/cancel","body":"json","takesKey":true},
  cancelTransferOrder: {"method":"POST","path":"/transfer/cancel","body":"json","takesKey":true},
  cancelBurnOrder: {"method":"POST","path":"/burn/cancel","body":"json","takesKey":true},
  cancelCertificateRevocation: {"method":"POST","path":"/certificates/revoke/cancel","body":"json","takesKey":true},
  cancelOwnershipTransfer: {"method":"POST","path":"/contracts/transfer-ownership/cancel","body":"json","takesKey":true},
  cancelChainNotification: {"method":"POST","path":"/chain-notifications/cancel","body":"json","takesKey":true},
  cancelBaseUriChange: {"method":"POST","path":"/contracts/base-uri/cancel","body":"json","takesKey":true},
  cancelContract: {"method":"POST","path":"/contracts/cancel","body":"json","takesKey":true},
  listApprovals: {"method":"GET","path":"/approvals","query":["limit","cursor","createdFrom","createdTo","status"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getApprovalSetting: {"method":"GET","path":"/approvals/setting"},
  setApprovalSetting: {"method":"POST","path":"/approvals/setting","body":"json","takesKey":true},
  getApproval: {"method":"GET","path":"/approvals/{id}"},
  approveRequest: {"method":"POST","path":"/approvals/{id}/approve","takesKey":true},
  refuseRequest: {"method":"POST","path":"/approvals/{id}/refuse","takesKey":true},
  readContract: {"method":"POST","path":"/contracts/read","body":"json"},
  registerContract: {"method":"POST","path":"/contracts/register","body":"json","takesKey":true},
  listContracts: {"method":"GET","path":"/contracts","query":["limit","cursor","createdFrom","createdTo","status","ercStandard","chainId"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getContract: {"method":"GET","path":"/contracts/{id}"},
  unregisterContract: {"method":"DELETE","path":"/contracts/{id}"},
  getCollectionMetadata: {"method":"GET","path":"/contracts/{id}/metadata"},
  replaceCollectionMetadata: {"method":"PUT","path":"/contracts/{id}/metadata","headers":{"ifMatch":"if-match"},"body":"json"},
  listCollectionMetadataVersions: {"method":"GET","path":"/contracts/{id}/metadata/versions","query":["limit","cursor"],"page":{"next":"nextCursor","parameter":"cursor"}},
  createMetadata: {"method":"POST","path":"/metadata","body":"json","takesKey":true},
  listMetadata: {"method":"GET","path":"/metadata","query":["limit","cursor","createdFrom","createdTo","chainId","contractAddress"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getStatusRules: {"method":"GET","path":"/metadata/status-rules","query":["kind"]},
  replaceStatusRules: {"method":"PUT","path":"/metadata/status-rules","query":["kind"],"body":"json"},
  getMetadata: {"method":"GET","path":"/metadata/{id}"},
  editMetadata: {"method":"PATCH","path":"/metadata/{id}","headers":{"ifMatch":"if-match"},"body":"json"},
  setMetadataStatus: {"method":"POST","path":"/metadata/{id}/status","body":"json","takesKey":true},
  freezeMetadata: {"method":"POST","path":"/metadata/{id}/freeze","takesKey":true},
  listWalletNfts: {"method":"GET","path":"/api/wallet/nfts","query":["wallet","blockchains","pageToken","corporateOnly"],"page":{"next":"nextPageToken","parameter":"pageToken"}},
  listHoldings: {"method":"GET","path":"/holdings","query":["limit","cursor","chainId","contractAddress","tokenId","holder"],"page":{"next":"nextCursor","parameter":"cursor"}},
  uploadAsset: {"method":"POST","path":"/assets/upload","body":"form","onlyOnce":true},
  createImport: {"method":"POST","path":"/imports","query":["kind","chainId","contractAddress"],"body":"file","onlyOnce":true},
  listImports: {"method":"GET","path":"/imports","query":["limit","cursor","createdFrom","createdTo","status"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getImportTemplate: {"method":"GET","path":"/imports/template","query":["kind","schema"],"replies":"text"},
  getImport: {"method":"GET","path":"/imports/{id}"},
  startImport: {"method":"POST","path":"/imports/{id}/start","body":"json","takesKey":true},
  getImportResult: {"method":"GET","path":"/imports/{id}/result","replies":"text"},
  pauseImport: {"method":"POST","path":"/imports/{id}/pause","takesKey":true},
  resumeImport: {"method":"POST","path":"/imports/{id}/resume","takesKey":true},
  cancelImport: {"method":"POST","path":"/imports/{id}/cancel","takesKey":true},
  createWebhookEndpoint: {"method":"POST","path":"/webhooks/endpoints","body":"json","takesKey":true},
  listWebhookEndpoints: {"method":"GET","path":"/webhooks/endpoints"},
  getWebhookEndpoint: {"method":"GET","path":"/webhooks/endpoints/{id}"},
  changeWebhookEndpoint: {"method":"PATCH","path":"/webhooks/endpoints/{id}","body":"json"},
  deleteWebhookEndpoint: {"method":"DELETE","path":"/webhooks/endpoints/{id}"},
  rotateWebhookSecret: {"method":"POST","path":"/webhooks/endpoints/{id}/rotate-secret","takesKey":true},
  testWebhookEndpoint: {"method":"POST","path":"/webhooks/endpoints/{id}/test","takesKey":true},
  listWebhookDeliveries: {"method":"GET","path":"/webhooks/deliveries","query":["limit","cursor","createdFrom","createdTo","status","eventType","eventId","orderId","endpointId"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getWebhookDelivery: {"method":"GET","path":"/webhooks/deliveries/{id}"},
  replayWebhookDeliveries: {"method":"POST","path":"/webhooks/deliveries/replay","body":"json","takesKey":true},
  replayWebhookDelivery: {"method":"POST","path":"/webhooks/deliveries/{id}/replay","takesKey":true},
  getLimits: {"method":"GET","path":"/limits"},
  createKey: {"method":"POST","path":"/keys","body":"json","takesKey":true},
  listKeys: {"method":"GET","path":"/keys","query":["limit","cursor","createdFrom","createdTo"],"page":{"next":"nextCursor","parameter":"cursor"}},
  getKeyResources: {"method":"GET","path":"/keys/{id}/resources","query":["descendants"]},
  revokeKey: {"method":"DELETE","path":"/keys/{id}","query":["descendants","endResources"]},
  listAuditLog: {"method":"GET","path":"/audit","query":["limit","cursor","createdFrom","createdTo","actor","keyId","resourceId","route","statusCode"],"page":{"next":"nextCursor","parameter":"cursor"}},
};
