// Files that people attach to things: uploaded as they are, told by their content, kept once in a tenancy, given out as downloads. A room decides who may.

import { createHash, randomUUID } from 'node:crypto'
import { Id } from '#core/contract/shapes.ts'
import { say } from '#standards/say/say.ts'
import { commonFault, invalidField } from '../fault.ts'
import type { House } from '../house.ts'
import type { EndpointAnswer, EndpointRequest } from '../serve.ts'
import { withTenancy, type Tenancy } from '../tenancy.ts'
import {
  addUsage,
  deleteAttachments,
  deleteUnused,
  findAttachment,
  insertAttachment,
  insertContent,
  readPart,
  type AttachmentRow,
  type Subject,
} from './attachment-store.ts'
import { attachmentDisposition, safeFileName } from './file-name.ts'
import { fileTypeOf } from './file-type.ts'

export { listAttachments, readUsage as attachedBytes, type AttachmentRow, type Subject } from './attachment-store.ts'

/** The largest that can be attached; the `bodyLimit` of an endpoint that takes one. */
export const mostAttachmentBytes = 10 * 1024 * 1024
/** What a tenancy can attach in all. */
export const mostTenancyBytes = 1024 * 1024 * 1024

export type Upload = { name: string; bytes: Uint8Array }

/** Reads an upload: the file is the body, its name the query's `name`. Whoever sends more than the endpoint's `bodyLimit` is refused before it is read. */
export async function readUpload({ url, body }: Pick<EndpointRequest, 'url' | 'body'>): Promise<Upload> {
  return { name: url.searchParams.get('name') ?? '', bytes: await body() }
}

/** Attaches a file, in the transaction of the caller: a refusal leaves nothing. */
export async function addAttachment(
  tenancy: Tenancy,
  { name, bytes, addedBy, limit = mostTenancyBytes, ...subject }: Subject & Upload & { addedBy: string | undefined; limit?: number },
): Promise<AttachmentRow> {
  if (bytes.length === 0) throw invalidField('file', say`The file is empty`)
  if (bytes.length > mostAttachmentBytes) throw invalidField('file', say`The file is larger than 10 MB`)
  const type = fileTypeOf(bytes)
  const hash = createHash('sha256').update(bytes).digest()
  // First of all, so that whoever adds and whoever removes the same bytes go one after another.
  await addUsage(tenancy, 0)
  if ((await insertContent(tenancy, { hash, bytes })) && (await addUsage(tenancy, bytes.length)) > limit)
    throw invalidField('file', say`The organisation has no room left for attachments`)
  const row = {
    tenant_id: tenancy.tenantId,
    id: randomUUID(),
    kind: subject.kind,
    about: subject.about,
    hash,
    name: safeFileName(name, type),
    type: type.type,
    added_by: addedBy ?? null,
    added_at: tenancy.now,
  }
  await insertAttachment(tenancy.db, row)
  return { ...row, size: bytes.length }
}

/** Removes one attachment, or all of a thing; its bytes go with the last that has them. Says how many there were. */
export async function removeAttachments(tenancy: Tenancy, which: Subject & { id?: string }): Promise<number> {
  await addUsage(tenancy, 0)
  const hashes = await deleteAttachments(tenancy, which)
  const different = new Map(hashes.map((hash) => [hash.toString('hex'), hash]))
  for (const hash of different.values()) await addUsage(tenancy, -(await deleteUnused(tenancy, hash)))
  return hashes.length
}

const partSize = 256 * 1024

/** Gives an attachment out as a download that no browser shows as a page. One of another thing, or another tenancy, is missing. */
export async function attachmentAnswer(house: House, tenantId: string, which: Subject & { id: string }): Promise<EndpointAnswer> {
  const found = Id.safeParse(which.id).success ? await withTenancy(house, tenantId, (tenancy) => findAttachment(tenancy, which)) : undefined
  if (found === undefined) throw commonFault('missing')
  return {
    headers: {
      'content-type': found.type,
      'content-length': String(found.size),
      'content-disposition': attachmentDisposition(found.name),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
    body: partsOf(house, tenantId, found),
  }
}

/** Reads part by part, so that a slow line holds no connection to the database and not the whole file. */
async function* partsOf(house: House, tenantId: string, { id, size }: AttachmentRow): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < size; from += partSize) {
    const part = await withTenancy(house, tenantId, (tenancy) => readPart(tenancy, { id, from, most: partSize }))
    if (part === undefined) throw new Error('The attachment was removed while it was given out')
    yield part
  }
}
