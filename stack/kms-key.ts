import { secp256k1 } from '@noble/curves/secp256k1';
import { hexToBytes, type Hex } from 'viem';

/** DER of a SubjectPublicKeyInfo (RFC 5480) of an uncompressed point of secp256k1, up to the point. */
const PUBLIC_KEY_PREFIX = hexToBytes('0x3056301006072a8648ce3d020106052b8104000a034200');

/** A key as AWS KMS has it, of the key spec ECC_SECG_P256K1. */
export class KmsKey {
  readonly #privateKey: Uint8Array;

  constructor(privateKey: Hex) {
    this.#privateKey = hexToBytes(privateKey);
  }

  /** In base64, as GetPublicKey returns it. */
  get publicKey(): string {
    return Buffer.concat([PUBLIC_KEY_PREFIX, secp256k1.getPublicKey(this.#privateKey, false)]).toString('base64');
  }

  /**
   * @param digest 32 bytes. @param entropy 32 bytes, which make the signature another one. @param isHigh Whether s is
   *   in the upper half, as it is half of the time.
   * @returns DER in base64, as Sign returns it.
   */
  sign(digest: Uint8Array, entropy: Uint8Array, isHigh: boolean): string {
    const low = secp256k1.sign(digest, this.#privateKey, { extraEntropy: entropy });
    const signature = isHigh ? new secp256k1.Signature(low.r, secp256k1.CURVE.n - low.s) : low;
    return Buffer.from(signature.toDERRawBytes()).toString('base64');
  }
}
