// Cards that Chancery issued, as other programs see them, and the whole life of a card: the real PC/SC daemon with its two virtual readers, cards of software behind
// them, and OpenSC.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from '#apps/agent/agent.ts'
import { startWithReaders } from '#apps/agent/built-in.ts'
import { openMemory } from '#apps/agent/memory.ts'
import { questions } from '#areas/questions/contract.ts'
import { hashAnswer, makeClientSalt } from '#areas/questions/rules.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import { newCard, openDesk, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { runNow } from '#core/server/jobs.ts'
import { refusal } from '#core/testing/house.ts'
import { until } from '#core/testing/until.ts'
import type { VirtualCard } from '#standards/piv/card/card.ts'

const module = '/usr/lib/x86_64-linux-gnu/opensc-pkcs11.so'
const realReader = { readerName: 'Virtual PCD 00 00', port: 35_963 }
const secondReader = { readerName: 'Virtual PCD 00 01', port: 35_964 }
const inReader = { readerName: realReader.readerName }
const inSecond = { readerName: secondReader.readerName }
const pin = '246813'
const { calls } = smartcards

let at: DeskFixture
let agent: Agent
let daemon: ChildProcess
let socket: Socket
let cardTemplateId: string
const folder = mkdtempSync(join(tmpdir(), 'chancery-pcsc-'))
const card = newCard()
const run = promisify(execFile)
/** Not in one go: the card is served by this process. */
const tool = async (name: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await run(name, args, { cwd: folder, timeout: 300_000, env: { ...process.env, PKCS11_MODULE_PATH: module } })
  return stdout + stderr
}

const framed = (data: Uint8Array): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  return Buffer.concat([length, data])
}

/** Puts a card into a reader of the daemon: frames of two bytes of length, where one byte alone is a command of the reader. */
async function insert(card: VirtualCard, { port }: { port: number }): Promise<Socket> {
  const made = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => {
    made.once('connect', resolve)
    made.once('error', reject)
  })
  let waiting = Buffer.alloc(0)
  let turn: Promise<void> = Promise.resolve()
  const answer = async (message: Buffer): Promise<void> => {
    if (message.length > 1) made.write(framed(await card.transmit(Uint8Array.from(message))))
    else if (message[0] === 4) made.write(framed(card.atr))
    else card.powerOff()
  }
  made.on('data', (part: Buffer) => {
    waiting = Buffer.concat([waiting, part])
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
      const end = 2 + waiting.readUInt16BE(0)
      const message = waiting.subarray(2, end)
      waiting = waiting.subarray(end)
      turn = turn.then(() => answer(message))
    }
  })
  made.on('error', () => {})
  return made
}

/** The daemon and its readers come when they come: tries again, and tells the last refusal where that was in vain. */
function atLast<Answer extends object>(what: string, attempt: () => Promise<Answer>) {
  let refused: unknown
  const tried = () =>
    attempt().catch((error: unknown) => {
      refused = error
      return undefined
    })
  return until(what, tried, { state: () => refused, every: 100 })
}

async function insertFirst(): Promise<void> {
  socket = await atLast('the first reader of the daemon', () => insert(card, realReader))
}

const readers = join(folder, 'readers')
function startDaemon(): void {
  daemon = spawn('pcscd', ['-f', '-c', readers], { stdio: 'ignore' })
}

beforeAll(async () => {
  mkdirSync(readers)
  writeFileSync(
    join(readers, 'vpcd'),
    `FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:0x8C7B\nLIBPATH /usr/lib/pcsc/drivers/serial/libifdvpcd.so\nCHANNELID 0x8C7B\n`,
  )
  startDaemon()
  await insertFirst()
  at = await openDesk()
  const { AgentAddress, AgentPort, ServerKey } = await at.desk.call(calls.clientConfig, {})
  await openMemory(folder).write({ address: AgentAddress, port: AgentPort, pin: ServerKey })
  agent = await startWithReaders({
    version: 'test',
    origin: 'http://localhost',
    folder,
    port: 0,
    virtual: false,
    pcsc: true,
    say: () => {},
  })
  await until('the code that the security client shows', () => agent.state().link.code !== '', { state: () => agent.state().link })
  at.client.link.close()
  await at.client.ended
  await at.desk.call(calls.pair, { code: agent.state().link.code })
})
afterAll(async () => {
  await agent.close()
  await at.close()
  socket.destroy()
  daemon.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** Keeps the certificate in the first slot of the card in a file. */
async function firstCertificate({ readerName }: { readerName: string }, file: string): Promise<X509Certificate> {
  const [{ pem = '' } = {}] = (await at.desk.call(calls.certificateStore, { readerName })).certificates
  writeFileSync(join(folder, file), pem)
  return new X509Certificate(pem)
}

/** What OpenSSL says of the certificate in a file, by the responder that it names. */
async function ocsp(file: string): Promise<string> {
  const { pathname } = new URL((await tool('openssl', 'x509', '-in', file, '-noout', '-ocsp_uri')).trim())
  const { chainFile, rootFile } = at.pki
  const judged = ['-issuer', chainFile, '-cert', file, '-CAfile', rootFile, '-verify_other', chainFile]
  return tool('openssl', 'ocsp', ...judged, '-url', `${at.house.origin}${pathname}`)
}

test('is registered and issued over PC/SC, read by opensc-tool, and signs with its RSA and its EC key by pkcs11-tool', async () => {
  cardTemplateId = await at.addTemplate([
    { slot: '9A', algorithm: 'RSA-2048', templateId: at.templateId },
    { slot: '9C', algorithm: 'P-256', templateId: at.templateId },
  ])
  const { cardId } = await at.desk.call(calls.register, { card_id: inReader })
  const { certificateIds } = await at.tryIssue({ card_id: inReader, cardTemplateId, user_ids: [at.desk.id] })
  expect(certificateIds).toHaveLength(2)
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('ISSUED')
  expect(await tool('opensc-tool', '--list-readers')).toContain(realReader.readerName)
  expect(await tool('opensc-tool', '--name')).toContain('Personal Identity Verification Card')
  expect(await tool('pkcs11-tool', '--module', module, '-O', '--type', 'cert')).toMatch(/Certificate Object/)

  writeFileSync(join(folder, 'data'), 'signed by a card')
  const { certificates: onCard } = await at.desk.call(calls.certificateStore, { readerName: realReader.readerName })
  for (const [place, { pem }] of onCard.entries()) {
    writeFileSync(join(folder, 'card.pem'), pem)
    writeFileSync(join(folder, 'key.pem'), await tool('openssl', 'x509', '-in', 'card.pem', '-noout', '-pubkey'))
    expect(await tool('openssl', 'verify', '-CAfile', at.pki.rootFile, '-untrusted', at.pki.chainFile, 'card.pem')).toContain(': OK')
    const [id, mechanism] = place === 0 ? ['01', 'SHA256-RSA-PKCS'] : ['02', 'ECDSA-SHA256']
    const login = ['--module', module, '--login', '--pin', pin, ...(place === 0 ? [] : ['--signature-format', 'openssl'])]
    await tool('pkcs11-tool', ...login, '--sign', '--id', id, '--mechanism', mechanism, '-i', 'data', '-o', 'signature')
    expect(await tool('openssl', 'dgst', '-sha256', '-verify', 'key.pem', '-signature', 'signature', 'data')).toContain('Verified OK')
  }
})

test('is seen by yubico-piv-tool, signs for p11tool, and signs in to a TLS server by curl', async () => {
  const status = await tool('yubico-piv-tool', '-r', realReader.readerName, '-a', 'status')
  expect(status).toMatch(/Slot 9a:[\s\S]*Algorithm:\s+RSA2048[\s\S]*Slot 9c:[\s\S]*Algorithm:\s+ECCP256/)
  const key = 'pkcs11:id=%01;type=private'
  expect(await tool('p11tool', `--provider=${module}`, '--login', `--set-pin=${pin}`, '--test-sign', key)).toMatch(/ok\s*$/m)

  await tool('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'tls.key', '-out', 'tls.pem', '-subj', '/CN=localhost')
  const [key9A] = (await at.desk.call(calls.certificateStore, { readerName: realReader.readerName })).certificates
  writeFileSync(join(folder, 'card.pem'), key9A?.pem ?? '')
  const read = (file: string) => readFileSync(file)
  const server = createServer(
    {
      key: read(join(folder, 'tls.key')),
      cert: read(join(folder, 'tls.pem')),
      ca: [read(at.pki.rootFile), read(at.pki.chainFile)],
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => response.end((request.socket as TLSSocket).getPeerCertificate().fingerprint256),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const card9A = ['--cert', 'card.pem', '--engine', 'pkcs11', '--key-type', 'ENG', '--key', `${key};pin-value=${pin}`]
    expect((await tool('curl', '-sS', '-k', ...card9A, url)).trim()).toBe(new X509Certificate(key9A?.pem ?? '').fingerprint256)
    await expect(tool('curl', '-sS', '-k', url)).rejects.toThrow()
  } finally {
    server.close()
  }
})

test('has certificates that OCSP calls good, and revoked once the card is', async () => {
  await firstCertificate(inReader, 'card.pem')
  expect(await ocsp('card.pem')).toMatch(/card\.pem: good/)
  await at.desk.call(calls.revoke, { card_id: { serial: String(card.state.serial) } })
  expect(await ocsp('card.pem')).toMatch(/card\.pem: revoked/)
  await at.tryIssue({ card_id: inReader, cardTemplateId, user_ids: [at.desk.id] })
})

test('its PIN is changed; blocked, it is unblocked by secret questions and renewed, and OpenSC signs with the new key', async () => {
  await at.desk.call(calls.changePin, { card_id: inReader, old_pin: pin, new_pin: '357924' })
  const wrong = () => refusal(at.desk.call(calls.checkPin, { card_id: inReader, pin }))
  expect([await wrong(), await wrong(), await wrong()].map(({ code }) => code)).toEqual(['wrongPin', 'wrongPin', 'pinBlocked'])
  // PINs are taken six times in five minutes.
  at.house.clock.advance(300_000)
  const client_salt = makeClientSalt()
  const answers = await Promise.all(
    ['Green', 'Blue', 'Red'].map(async (word) => ({ customQuestion: `What of ${word}`, ...(await hashAnswer(word, client_salt, 2)) })),
  )
  await (await at.desk.session()).call(questions.calls.set, { client_salt, questions: answers })
  await at.desk.call(calls.resetPinByAnswers, { card_id: inReader, new_pin: pin, secret_answers: { client_salt, answers } })

  const before = await firstCertificate(inReader, 'before.pem')
  await at.desk.call(calls.reissue, { card_id: inReader, card_pin: pin })
  const after = await firstCertificate(inReader, 'after.pem')
  expect(after.publicKey.equals(before.publicKey)).toBe(false)
  await runNow(at.house.house, smartcards.jobs.orphans)
  expect(await ocsp('before.pem')).toMatch(/before\.pem: revoked/)
  expect(await ocsp('after.pem')).toMatch(/after\.pem: good/)
  const key = 'pkcs11:id=%01;type=private'
  expect(await tool('p11tool', `--provider=${module}`, '--login', `--set-pin=${pin}`, '--test-sign', key)).toMatch(/ok\s*$/m)
})

test('a card in a second reader stands for it while its certificates are on hold; later it is issued by itself and reported lost', async () => {
  const second = newCard()
  const atSecond = await atLast('the second reader of the daemon', () => insert(second, secondReader))
  try {
    const register = () => at.desk.call(calls.register, { card_id: inSecond })
    const { cardId, serial } = await atLast('the card in the second reader', register)
    const first = String(card.state.serial)
    const { cardId: firstId } = await at.desk.call(calls.details, { serial: first })
    const statuses = async () => [
      (await at.desk.call(calls.view, { id: firstId })).status,
      (await at.desk.call(calls.view, { id: cardId })).status,
    ]
    await at.desk.call(calls.issueTemporary, {
      card_request: { card_id: inSecond, cardTemplateId, new_pin: '864207', validity_duration: 3 },
      old_card_id: firstId,
    })
    expect(await statuses()).toEqual(['SUSPENDED', 'ISSUED'])
    await firstCertificate(inReader, 'first.pem')
    await firstCertificate(inSecond, 'second.pem')
    expect(await ocsp('first.pem')).toMatch(/first\.pem: revoked[\s\S]*Reason: certificateHold/)
    expect(await ocsp('second.pem')).toMatch(/second\.pem: good/)
    expect(await tool('yubico-piv-tool', '-r', secondReader.readerName, '-a', 'status')).toMatch(/Slot 9a:\s+Algorithm:\s+RSA2048/)
    await at.desk.call(calls.checkPin, { card_id: inSecond, pin: '864207' })

    await at.desk.call(calls.resume, { card_id: { serial: first } })
    expect(await statuses()).toEqual(['ISSUED', 'REVOKED'])
    expect(await ocsp('first.pem')).toMatch(/first\.pem: good/)
    expect(await ocsp('second.pem')).toMatch(/second\.pem: revoked/)

    await at.tryIssue({ card_id: inSecond, cardTemplateId, user_ids: [at.desk.id] })
    await firstCertificate(inSecond, 'second.pem')
    await at.desk.call(calls.lost, { card_id: { serial } })
    expect(await statuses()).toEqual(['ISSUED', 'LOST'])
    expect(await ocsp('second.pem')).toMatch(/second\.pem: revoked[\s\S]*Reason: keyCompromise/)
  } finally {
    atSecond.destroy()
  }
})

test('is gone with its daemon and comes back with it', async () => {
  const names = () => agent.state().readers.filter(({ atr }) => atr !== '')
  daemon.kill('SIGKILL')
  await expect.poll(names).toEqual([])
  expect((await refusal(at.desk.call(calls.checkPin, { card_id: inReader, pin }))).code).toMatch(/noReader|noCard|cardGone/)
  startDaemon()
  await insertFirst()
  await expect.poll(names).toHaveLength(1)
  await atLast('the card in the reader', () => at.desk.call(calls.checkPin, { card_id: inReader, pin }))
})

test('tells a wrong PIN, blocks, is unblocked by the desk and given back', async () => {
  const wrong = () => refusal(at.desk.call(calls.checkPin, { card_id: inReader, pin: '111222' }))
  expect([await wrong(), await wrong(), await wrong()].map(({ code }) => code)).toEqual(['wrongPin', 'wrongPin', 'pinBlocked'])
  await at.desk.call(calls.unblock, { card_id: inReader, new_pin: '975318' })
  await at.desk.call(calls.checkPin, { card_id: inReader, pin: '975318' })
  expect(await at.desk.call(calls.unregister, { card_id: inReader })).toEqual({ status: 'UNREGISTERED' })
})
