// Commands to a TPM 2.0 (TCG, Part 3): by its device, or by TCP to a software TPM. As many as a machine needs that has a key of its TPM certified.

import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { sized, TpmError, tpmReader } from '#standards/tpm/structures.ts'

type Transport = { send(command: Buffer): Promise<Buffer>; close(): Promise<void> }
export type Tpm = Awaited<ReturnType<typeof openTpm>>

const OWNER = 0x40000001
const ENDORSEMENT = 0x4000000b
const NULL = 0x40000007
const PASSWORD = 0x40000009
const EK_CERTIFICATE = 0x01c00002
const headerLength = 10

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const empty = u16(0)

/** The RSA endorsement key that manufacturers certify: template L-1 of the TCG EK Credential Profile. */
const ekTemplate = Buffer.concat([
  hex('0001 000b 000300b2 0020 837197674484b3f81a90cc8d46a5d724fd52d76e06520b64f2a1da1b331469aa 0006 0080 0043 0010 0800 00000000'),
  sized(Buffer.alloc(256)),
])
/** Signs with ECDSA what its TPM says, and stays in it. */
const akTemplate = hex('0023 000b 00050072 0000 0010 0018 000b 0003 0010 0000 0000')
/** A key for signatures on P-256 that stays in its TPM. The unique bytes make another key each time. */
const keyTemplate = (unique: Buffer): Buffer =>
  Buffer.concat([hex('0023 000b 00040072 0000 0010 0010 0003 0010'), sized(unique), sized(Buffer.alloc(32))])

/** `place`: a device such as /dev/tpmrm0, or tcp:HOST:PORT of a software TPM. */
async function transportTo(place: string): Promise<Transport> {
  const [, host = '', port = ''] = /^tcp:(.+):(\d+)$/.exec(place) ?? []
  if (host === '') {
    const device = await open(place, 'r+')
    return {
      async send(command) {
        await device.write(command)
        const { buffer, bytesRead } = await device.read(Buffer.alloc(4096), 0, 4096, null)
        return buffer.subarray(0, bytesRead)
      },
      close: () => device.close(),
    }
  }
  const socket = connect(Number(port), host)
  const parts = socket[Symbol.asyncIterator]()
  return {
    async send(command) {
      socket.write(command)
      let answer = Buffer.alloc(0)
      while (answer.length < headerLength || answer.length < answer.readUInt32BE(2)) {
        const { value, done } = await parts.next()
        if (done === true) throw new TpmError('The TPM closed the connection')
        answer = Buffer.concat([answer, Buffer.from(value)])
      }
      return answer
    },
    async close() {
      socket.destroy()
    },
  }
}

/** TPM_RC_YIELDED, TPM_RC_TESTING and TPM_RC_RETRY */
const busy: ReadonlySet<number> = new Set([0x908, 0x90a, 0x922])
const patience = 20_000
const resultOf = (answer: Buffer): number => (answer.length < headerLength ? 0 : answer.readUInt32BE(6))

/** Of a session that proves by itself, or of an empty password. */
const authOf = (session: number): Buffer => Buffer.concat([u32(session), empty, Buffer.from([1]), empty])

export async function openTpm(place: string) {
  const transport = await transportTo(place)
  const loaded: number[] = []

  /** Answers the handle, where there is one, and the parameters. */
  async function run(
    what: string,
    code: number,
    {
      handles = [],
      sessions = [],
      body = [],
      returnsHandle = false,
    }: { handles?: number[]; sessions?: number[]; body?: Buffer[]; returnsHandle?: boolean },
  ): Promise<{ handle: number; rest: Buffer }> {
    const auths = Buffer.concat(sessions.map(authOf))
    const content = Buffer.concat([...handles.map(u32), ...(sessions.length === 0 ? [] : [u32(auths.length), auths]), ...body])
    const command = Buffer.concat([u16(sessions.length === 0 ? 0x8001 : 0x8002), u32(headerLength + content.length), u32(code), content])
    const until = Date.now() + patience
    let answer = await transport.send(command)
    // A TPM that is busy with itself says so, and is asked again.
    while (busy.has(resultOf(answer)) && Date.now() < until) answer = await transport.send(command)
    const fields = tpmReader(answer, 'The answer of the TPM')
    fields.bytes(6)
    const result = fields.u32()
    if (result !== 0) throw new TpmError(`The TPM refuses to ${what}: 0x${result.toString(16)}`)
    const handle = returnsHandle ? fields.u32() : 0
    const before = headerLength + (returnsHandle ? 4 : 0)
    if (sessions.length === 0) return { handle, rest: answer.subarray(before) }
    return { handle, rest: fields.bytes(fields.u32()) }
  }

  async function createPrimary(what: string, hierarchy: number, template: Buffer): Promise<{ handle: number; publicArea: Buffer }> {
    const { handle, rest } = await run(`make ${what}`, 0x131, {
      handles: [hierarchy],
      sessions: [PASSWORD],
      body: [sized(Buffer.concat([empty, empty])), sized(template), empty, u32(0)],
      returnsHandle: true,
    })
    loaded.push(handle)
    return { handle, publicArea: sized(tpmReader(rest, 'The answer of the TPM').sized()) }
  }

  return {
    endorsementKey: () => createPrimary('the endorsement key', ENDORSEMENT, ekTemplate),
    attestationKey: () => createPrimary('the attestation key', OWNER, akTemplate),
    newKey: (unique: Buffer) => createPrimary('the key', OWNER, keyTemplate(unique)),

    /** The manufacturer's certificate, where the TPM has it. */
    async endorsementCertificate(): Promise<Buffer> {
      const { rest } = await run('say what certificate it has', 0x169, { handles: [EK_CERTIFICATE] })
      const fields = tpmReader(tpmReader(rest, 'The answer of the TPM').sized(), 'The answer of the TPM')
      fields.bytes(4 + 2 + 4)
      fields.sized()
      const length = fields.u16()
      const parts: Buffer[] = []
      for (let at = 0; at < length; at += 256) {
        const part = await run('give out its certificate', 0x14e, {
          handles: [EK_CERTIFICATE, EK_CERTIFICATE],
          sessions: [PASSWORD],
          body: [u16(Math.min(256, length - at)), u16(at)],
        })
        parts.push(tpmReader(part.rest, 'The answer of the TPM').sized())
      }
      const all = Buffer.concat(parts)
      // Some manufacturers fill the rest of the place with zeros.
      return all[0] === 0x30 && all[1] === 0x82 ? all.subarray(0, 4 + all.readUInt16BE(2)) : all
    },

    /** The secret of a credential, which the TPM gives out only where it has both keys. */
    async activate(ak: number, ek: number, credential: Buffer): Promise<Buffer> {
      const session = await run('begin a session', 0x176, {
        handles: [NULL, NULL],
        body: [sized(Buffer.alloc(16, 1)), empty, Buffer.from([1]), u16(0x0010), u16(0x000b)],
        returnsHandle: true,
      })
      loaded.push(session.handle)
      await run('take the policy of the endorsement key', 0x151, {
        handles: [ENDORSEMENT, session.handle],
        sessions: [PASSWORD],
        body: [empty, empty, empty, u32(0)],
      })
      const { rest } = await run('give out the secret', 0x147, {
        handles: [ak, ek],
        sessions: [PASSWORD, session.handle],
        body: [credential],
      })
      return tpmReader(rest, 'The answer of the TPM').sized()
    },

    async certify(key: number, ak: number, qualifyingData: Buffer): Promise<{ attestation: Buffer; signature: Buffer }> {
      const { rest } = await run('certify the key', 0x148, {
        handles: [key, ak],
        sessions: [PASSWORD, PASSWORD],
        body: [sized(qualifyingData), u16(0x0010)],
      })
      const attestation = tpmReader(rest, 'The answer of the TPM').sized()
      return { attestation, signature: rest.subarray(2 + attestation.length) }
    },

    /** Whether something is kept at a handle already. */
    async isTaken(handle: number): Promise<boolean> {
      return run(`read what is kept at 0x${handle.toString(16)}`, 0x173, { handles: [handle] }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof TpmError) return false
          throw error
        },
      )
    },

    /** Keeps a key in the TPM, at a handle of its own. */
    async keep(key: number, handle: number): Promise<void> {
      await run(`keep the key at 0x${handle.toString(16)}`, 0x120, { handles: [OWNER, key], sessions: [PASSWORD], body: [u32(handle)] })
    },

    async close(): Promise<void> {
      for (const handle of loaded) await run('forget a key', 0x165, { body: [u32(handle)] }).catch(() => {})
      await transport.close()
    },
  }
}
