// The user handle that an authenticator keeps with a passkey and gives back at sign-in: which account in which tenancy, without a name in it.

import { readBase64url } from '#standards/acme/base64url.ts'

export type Handle = { tenantId: string; userId: string }

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')
const idOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export const writeHandle = ({ tenantId, userId }: Handle): string =>
  Buffer.concat([bytesOf(tenantId), bytesOf(userId)]).toString('base64url')

export function readHandle(text: string): Handle | undefined {
  const bytes = readBase64url(text)
  return bytes?.length === 32 ? { tenantId: idOf(bytes.subarray(0, 16)), userId: idOf(bytes.subarray(16)) } : undefined
}
