// Base64url without padding (RFC 7515 2), read strictly: one text for one value, because what two programs read differently passes a comparison.

/** Undefined for padding, other letters, and bits beyond the end. */
export function readBase64url(text: string): Buffer | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

export const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
