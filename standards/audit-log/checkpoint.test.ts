import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { formatCheckpoint, parseCheckpoint, parseVerifierKey, signCheckpoint, verifierKey, verifyCheckpoint } from './checkpoint.ts'
import { AuditLogError, leafHash } from './merkle.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = { publicKey, name: 'chancery.example/audit' }
const checkpoint = { origin: 'chancery.example/tenancies/7', size: 1234, root: leafHash(Buffer.from('x')) }
const signed = signCheckpoint(formatCheckpoint(checkpoint), privateKey, key.name)

describe('a checkpoint', () => {
  test('reads as three lines, an empty one and a signature', () => {
    const lines = signed.split('\n')
    expect(lines.slice(0, 4)).toEqual(['chancery.example/tenancies/7', '1234', Buffer.from(checkpoint.root).toString('base64'), ''])
    expect(lines[4]).toMatch(/^\u2014 chancery\.example\/audit [A-Za-z0-9+/]{91}=$/u)
    expect(lines.slice(5)).toEqual([''])
  })

  test('verifies with its key and gives back what was signed', () => {
    const verdict = verifyCheckpoint(signed, { ...key, origin: checkpoint.origin })
    expect(verdict).toMatchObject({ ok: true, checkpoint: { origin: checkpoint.origin, size: 1234, extensions: [] } })
    expect(verdict.ok && Buffer.compare(verdict.checkpoint.root, checkpoint.root)).toBe(0)
  })

  test('carries further lines under its signature', () => {
    const text = signCheckpoint(formatCheckpoint({ ...checkpoint, extensions: ['2026-01-02T03:04:05Z'] }), privateKey, key.name)
    expect(verifyCheckpoint(text, key)).toMatchObject({ ok: true, checkpoint: { extensions: ['2026-01-02T03:04:05Z'] } })
    expect(verifyCheckpoint(text.replace('03:04:05', '03:04:06'), key).ok).toBe(false)
  })

  test('takes the signature of a witness beside its own', () => {
    const witness = generateKeyPairSync('ed25519')
    const both = signCheckpoint(signed, witness.privateKey, 'witness.example')
    expect(parseCheckpoint(both).signatures.map(({ name }) => name)).toEqual([key.name, 'witness.example'])
    expect(verifyCheckpoint(both, key).ok).toBe(true)
    expect(verifyCheckpoint(both, { publicKey: witness.publicKey, name: 'witness.example' }).ok).toBe(true)
  })

  test.each([
    ['of another log', { ...key, origin: 'elsewhere' }, 'is of the log'],
    ['by another name', { ...key, name: 'other' }, 'has no signature by "other"'],
    ['by another key of the same name', { name: key.name, publicKey: generateKeyPairSync('ed25519').publicKey }, 'has no signature by'],
  ])('%s is refused', (_what, wanted, fault) => {
    expect(verifyCheckpoint(signed, wanted)).toEqual({ ok: false, fault: expect.stringContaining(fault) })
  })

  test('any changed byte, and any shorter text, is refused', () => {
    const bytes = Buffer.from(signed)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(verifyCheckpoint(changed.toString('utf8'), key).ok).toBe(false)
      expect(verifyCheckpoint(bytes.subarray(0, at).toString('utf8'), key).ok).toBe(false)
    }
  })

  test.each([
    ['nothing', ''],
    ['no size', 'origin\n'],
    ['a size with a leading zero', 'origin\n01\n\n'],
    ['a size past all numbers', `origin\n9999999999999999\n${Buffer.alloc(32).toString('base64')}\n`],
    ['a short root', 'origin\n1\nAAAA\n'],
    ['a root that is not canonical Base64', `origin\n1\n${'A'.repeat(42)}B=\n`],
    ['a carriage return', formatCheckpoint(checkpoint).replaceAll('\n', '\r\n')],
    ['a signature line of something else', `${formatCheckpoint(checkpoint)}\nsigned by me\n`],
    ['a text without end', 'x'.repeat(100_000)],
  ])('%s is no checkpoint', (_what, text) => {
    expect(() => parseCheckpoint(text)).toThrow(AuditLogError)
    expect(verifyCheckpoint(text, key).ok).toBe(false)
  })

  test.each([
    ['an origin of two lines', { ...checkpoint, origin: 'a\nb' }],
    ['no origin', { ...checkpoint, origin: '' }],
    ['half a row', { ...checkpoint, size: 0.5 }],
    ['a short root', { ...checkpoint, root: new Uint8Array(31) }],
    ['an empty further line', { ...checkpoint, extensions: [''] }],
  ])('%s cannot be written', (_what, value) => {
    expect(() => formatCheckpoint(value)).toThrow(AuditLogError)
  })

  test('is signed by nothing but Ed25519, under a name that fits the line', () => {
    expect(() => signCheckpoint(formatCheckpoint(checkpoint), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'a')).toThrow(
      AuditLogError,
    )
    expect(() => signCheckpoint(formatCheckpoint(checkpoint), privateKey, 'a b')).toThrow(AuditLogError)
  })
})

describe('the signed note of other implementations', () => {
  // The example of golang.org/x/mod/sumdb/note.
  const example = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const signature = '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

  test('a verifier key is read and written back', () => {
    const { name, publicKey: theirs } = parseVerifierKey(example)
    expect(name).toBe('PeterNeumann')
    expect(verifierKey(name, theirs)).toBe(example)
    expect(() => parseVerifierKey(example.replace('c74f20a3', 'c74f20a4'))).toThrow('key id')
    expect(() => parseVerifierKey('PeterNeumann')).toThrow(AuditLogError)
  })

  test('signing their text with their key gives their signature', () => {
    const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
    const theirs = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    expect(verifierKey('PeterNeumann', createPublicKey(theirs))).toBe(example)
    expect(signCheckpoint(text, theirs, 'PeterNeumann')).toBe(`${text}\n${signature}`)
  })
})
