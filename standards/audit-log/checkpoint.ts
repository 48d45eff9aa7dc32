// A checkpoint says in three lines how long the log is and what its root hash is, and carries Ed25519 signatures: the
// C2SP tlog-checkpoint in a C2SP signed note. It is plain text, so that it can be printed, mailed or written into
// another system's log, and any checkpoint kept there convicts a log that was later shortened or rewritten.
// https://c2sp.org/tlog-checkpoint, https://c2sp.org/signed-note
import { createHash, createPublicKey, sign, timingSafeEqual, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { AuditLogError, HASH_BYTES } from './merkle.ts'

export interface Checkpoint {
  /** names the log, and no other log: a tenancy's address, say */
  origin: string
  size: number
  root: Uint8Array
  /** further lines under the root, opaque to verifiers */
  extensions?: readonly string[]
}

export interface NoteSignature {
  name: string
  keyId: Uint8Array
  signature: Uint8Array
}

export interface SignedCheckpoint extends Checkpoint {
  extensions: readonly string[]
  /** the text that the signatures cover, its last line end included */
  note: string
  signatures: readonly NoteSignature[]
}

export interface CheckpointKey {
  /** an Ed25519 public key */
  publicKey: KeyObject
  /** the name that the signature line must carry */
  name: string
  /** the log that the checkpoint must be of, where the verifier knows it */
  origin?: string | undefined
}

export type CheckpointVerdict = { ok: true; checkpoint: SignedCheckpoint } | { ok: false; fault: string }

// 64 KiB holds a checkpoint with hundreds of witnesses; a longer text is no checkpoint.
const MAX_TEXT = 65_536
const MAX_SIGNATURES = 100
// The signature type of plain Ed25519 (signed-note, "Signature types").
const ED25519 = 0x01
const SIGNATURE_MARK = '\u2014 '

/** The text to sign. Throws AuditLogError for an origin, size, root or extension that the form cannot carry. */
export function formatCheckpoint({ origin, size, root, extensions = [] }: Checkpoint): string {
  if (!Number.isSafeInteger(size) || size < 0) throw new AuditLogError('The size of a checkpoint is a whole number from 0')
  if (root.length !== HASH_BYTES) throw new AuditLogError(`The root of a checkpoint has ${HASH_BYTES} bytes`)
  for (const [field, line] of [['origin', origin], ...extensions.map((extension) => ['extension', extension])]) {
    if (line === undefined || line === '' || hasControlCharacters(line)) {
      throw new AuditLogError(`The ${field} of a checkpoint is one line of text and not empty`)
    }
  }
  return [origin, String(size), Buffer.from(root).toString('base64'), ...extensions, ''].join('\n')
}

/** The note with a signature line under `keyName`. Also adds a further signature to a note that has some. */
export function signCheckpoint(note: string, privateKey: KeyObject, keyName: string): string {
  const covered = noteOf(note)
  const blob = Buffer.concat([keyIdOf(keyName, createPublicKey(privateKey)), sign(null, Buffer.from(covered), privateKey)])
  const signatureLine = `${SIGNATURE_MARK}${keyName} ${blob.toString('base64')}\n`
  return covered === note ? `${note}\n${signatureLine}` : `${note}${signatureLine}`
}

/** Throws AuditLogError for text that is not a checkpoint; checks no signature. */
export function parseCheckpoint(text: string): SignedCheckpoint {
  if (text.length > MAX_TEXT) throw new AuditLogError('The text is too long to be a checkpoint')
  if (hasControlCharacters(text.replaceAll('\n', '')) || !text.isWellFormed())
    throw new AuditLogError('A checkpoint has no control characters')
  const note = noteOf(text)
  const [origin, sizeText, rootText, ...extensions] = note.slice(0, -1).split('\n')
  if (origin === undefined || origin === '') throw new AuditLogError('A checkpoint begins with the origin of its log')
  if (sizeText === undefined || !/^(0|[1-9][0-9]{0,15})$/.test(sizeText) || !Number.isSafeInteger(Number(sizeText))) {
    throw new AuditLogError('The second line of a checkpoint is the size of the log')
  }
  const root = rootText === undefined ? undefined : decodeBase64(rootText)
  if (root?.length !== HASH_BYTES) throw new AuditLogError(`The third line of a checkpoint is the root: ${HASH_BYTES} bytes in Base64`)
  if (extensions.includes('')) throw new AuditLogError('A further line of a checkpoint is empty')
  return { origin, size: Number(sizeText), root, extensions, note, signatures: signaturesOf(text.slice(note.length)) }
}

/**
 * Accepts a checkpoint with a good signature by the given key. Signatures by other keys are ignored, as witnesses may
 * add theirs; a bad one by this key is refused even beside a good one.
 */
export function verifyCheckpoint(text: string, { publicKey, name, origin }: CheckpointKey): CheckpointVerdict {
  let checkpoint: SignedCheckpoint
  try {
    checkpoint = parseCheckpoint(text)
  } catch (error) {
    if (error instanceof AuditLogError) return { ok: false, fault: error.message }
    throw error
  }
  if (origin !== undefined && checkpoint.origin !== origin) {
    return { ok: false, fault: `The checkpoint is of the log "${checkpoint.origin}", not of "${origin}"` }
  }
  const keyId = keyIdOf(name, publicKey)
  const ours = checkpoint.signatures.filter((signature) => signature.name === name && timingSafeEqual(signature.keyId, keyId))
  if (ours.length === 0) return { ok: false, fault: `The checkpoint has no signature by "${name}"` }
  if (!ours.every(({ signature }) => verify(null, Buffer.from(checkpoint.note), publicKey, signature))) {
    return { ok: false, fault: `The signature by "${name}" on the checkpoint is not valid` }
  }
  return { ok: true, checkpoint }
}

/** The public key as signed-note verifiers take it: `name+key id+Base64`. */
export function verifierKey(name: string, publicKey: KeyObject): string {
  const key = Buffer.concat([Buffer.of(ED25519), rawPublicKey(publicKey)])
  return `${name}+${Buffer.from(keyIdOf(name, publicKey)).toString('hex')}+${key.toString('base64')}`
}

/** The key behind a verifier key. Throws AuditLogError. */
export function parseVerifierKey(text: string): { name: string; publicKey: KeyObject } {
  const parts = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim())
  const [, name = '', keyId = '', base64 = ''] = parts ?? []
  const key = decodeBase64(base64)
  if (key?.length !== 33 || key[0] !== ED25519) throw new AuditLogError('A verifier key reads name+key id+Base64 of an Ed25519 key')
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.subarray(1)).toString('base64url') },
    format: 'jwk',
  })
  if (Buffer.from(keyIdOf(name, publicKey)).toString('hex') !== keyId)
    throw new AuditLogError('The key id of the verifier key is not that of its key')
  return { name, publicKey }
}

function keyIdOf(name: string, publicKey: KeyObject): Uint8Array {
  if (name === '' || /[\s+]/u.test(name) || hasControlCharacters(name)) {
    throw new AuditLogError('The name of a checkpoint key has no spaces and no plus sign')
  }
  const digest = createHash('sha256').update(`${name}\n`).update(Buffer.of(ED25519)).update(rawPublicKey(publicKey))
  return digest.digest().subarray(0, 4)
}

function rawPublicKey(publicKey: KeyObject): Uint8Array {
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new AuditLogError('A checkpoint is signed with an Ed25519 key')
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
}

/** What the signatures cover: all up to the last empty line, or everything where nothing is signed yet. */
function noteOf(text: string): string {
  const end = text.lastIndexOf('\n\n')
  const note = end === -1 ? text : text.slice(0, end + 1)
  if (!note.endsWith('\n')) throw new AuditLogError('A checkpoint ends with a line end')
  return note
}

function signaturesOf(block: string): NoteSignature[] {
  if (block === '') return []
  const lines = block.slice(1, -1).split('\n')
  if (!block.endsWith('\n') || lines.length > MAX_SIGNATURES) throw new AuditLogError('The signatures of a checkpoint are not well formed')
  return lines.map((line) => {
    const [, name, base64 = ''] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? []
    const blob = decodeBase64(base64)
    if (name === undefined || blob === undefined || blob.length < 5)
      throw new AuditLogError('A signature line of the checkpoint is not well formed')
    return { name, keyId: blob.subarray(0, 4), signature: blob.subarray(4) }
  })
}

/** Node skips what is not Base64; a checkpoint has exactly one spelling. */
function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text)
}
