// One token of a module: found, logged in to, and used through a few sessions. Runs in the process of the module.

import { CKA, CKF, CKK, CKO, CKU_USER } from './constants.ts'
import {
  attributeLength,
  attributes,
  initializeArguments,
  mechanism,
  Pkcs11Error,
  readTokenInfo,
  tokenInfoSize,
  truth,
  ulongAt,
  ulongs,
  type Attribute,
  type Pkcs11Module,
} from './module.ts'
import {
  ownResults,
  type KeySeen,
  type KeySpecification,
  type MechanismSeen,
  type PublicParts,
  type Tasks,
  type TokenSeen,
} from './protocol.ts'

/** Some tokens have few sessions for all of their users. */
const mostSessions = 4
const mostKeys = 1_000

type Slot = { slot: number; seen: TokenSeen }

export const initialize = (module: Pkcs11Module) => module.call('C_Initialize', initializeArguments(CKF.OS_LOCKING_OK))

export async function listTokens(module: Pkcs11Module): Promise<Slot[]> {
  const count = ulongs(0)
  await module.call('C_GetSlotList', 1, null, count)
  const slots = Buffer.alloc(ulongAt(count, 0) * ulongs(0).length)
  if (slots.length > 0) await module.call('C_GetSlotList', 1, slots, count)
  const found: Slot[] = []
  for (let at = 0; at < ulongAt(count, 0); at += 1) {
    const slot = ulongAt(slots, at)
    const info = Buffer.alloc(tokenInfoSize)
    const there = await module.call('C_GetTokenInfo', slot, info).then(
      () => true,
      // Taken out between the two questions.
      () => false,
    )
    const read = readTokenInfo(info)
    if (there && (read.flags & CKF.TOKEN_INITIALIZED) !== 0)
      found.push({ slot, seen: { ...read, mechanisms: await mechanismsOf(module, slot) } })
  }
  return found
}

async function mechanismsOf(module: Pkcs11Module, slot: number): Promise<MechanismSeen[]> {
  const count = ulongs(0)
  await module.call('C_GetMechanismList', slot, null, count)
  const types = Buffer.alloc(ulongAt(count, 0) * ulongs(0).length)
  if (types.length > 0) await module.call('C_GetMechanismList', slot, types, count)
  const found: MechanismSeen[] = []
  for (let at = 0; at < ulongAt(count, 0); at += 1) {
    const info = ulongs(0, 0, 0)
    const type = ulongAt(types, at)
    await module.call('C_GetMechanismInfo', slot, type, info)
    found.push({ type, smallest: ulongAt(info, 0), largest: ulongAt(info, 1) })
  }
  return found
}

export type OpenToken = {
  seen: TokenSeen
  keys(): Promise<KeySeen[]>
  generate(input: Tasks['generate']['asks']): Promise<PublicParts>
  destroy(input: Tasks['destroy']['asks']): Promise<void>
  sign(input: Tasks['sign']['asks']): Promise<Uint8Array>
}

/** Never tries a PIN where the token says that a wrong one would lock it. */
export async function openToken(module: Pkcs11Module, { label, serial, pin }: Tasks['open']['asks']): Promise<OpenToken> {
  const found = (await listTokens(module)).find(({ seen }) => seen.label === label && seen.serial === serial)
  if (found === undefined) throw new Pkcs11Error('C_GetSlotList', ownResults.tokenAbsent)
  const { slot, seen } = found
  if ((seen.flags & CKF.USER_PIN_LOCKED) !== 0) throw new Pkcs11Error('C_GetTokenInfo', ownResults.pinLocked)
  if ((seen.flags & CKF.USER_PIN_FINAL_TRY) !== 0) throw new Pkcs11Error('C_GetTokenInfo', ownResults.finalTry)
  const sessions = sessionPool(module, slot)
  const secret = Buffer.from(pin)
  if ((seen.flags & CKF.LOGIN_REQUIRED) !== 0)
    await sessions.use((session) => module.call('C_Login', session, CKU_USER, secret, secret.length)).finally(() => secret.fill(0))
  const handles = new Map<string, number>()

  async function privateKey(session: number, objectId: Uint8Array): Promise<number> {
    const name = Buffer.from(objectId).toString('hex')
    const known = handles.get(name)
    if (known !== undefined) return known
    const [handle] = await findObjects(module, session, [classOf(CKO.PRIVATE_KEY), { type: CKA.ID, value: Buffer.from(objectId) }])
    if (handle === undefined) throw new Pkcs11Error('C_FindObjects', ownResults.keyAbsent)
    handles.set(name, handle)
    return handle
  }

  return {
    seen,
    keys: () => sessions.use((session) => listKeys(module, session)),
    generate: ({ specification, label: keyLabel, objectId }) =>
      sessions.use((session) => generate(module, session, specification, keyLabel, Buffer.from(objectId))),
    destroy: ({ objectId }) =>
      sessions.use(async (session) => {
        handles.delete(Buffer.from(objectId).toString('hex'))
        for (const kind of [CKO.PRIVATE_KEY, CKO.PUBLIC_KEY])
          for (const handle of await findObjects(module, session, [classOf(kind), { type: CKA.ID, value: Buffer.from(objectId) }]))
            await module.call('C_DestroyObject', session, handle)
      }),
    sign: ({ objectId, mechanism: type, parameter, data }) =>
      sessions.use(async (session) => {
        const key = await privateKey(session, objectId)
        const by = mechanism(type, parameter.length === 0 ? undefined : ulongs(...parameter))
        const input = Buffer.from(data)
        const signature = Buffer.alloc(2_048)
        const length = ulongs(signature.length)
        await module.call('C_SignInit', session, by, key)
        await module.call('C_Sign', session, input, input.length, signature, length)
        return Uint8Array.from(signature.subarray(0, ulongAt(length, 0)))
      }),
  }
}

const classOf = (kind: number): Attribute => ({ type: CKA.CLASS, value: ulongs(kind) })

/** Opened as they are needed; who finds none free waits. */
function sessionPool(module: Pkcs11Module, slot: number) {
  const free: number[] = []
  const waiting: ((session: number) => void)[] = []
  let opened = 0
  async function take(): Promise<number> {
    const session = free.pop()
    if (session !== undefined) return session
    if (opened >= mostSessions) return new Promise((resolve) => waiting.push(resolve))
    opened += 1
    const handle = ulongs(0)
    try {
      await module.call('C_OpenSession', slot, CKF.SERIAL_SESSION | CKF.RW_SESSION, null, null, handle)
    } catch (error) {
      opened -= 1
      // The token gives no more than these: wait for one of them.
      if (opened > 0 && error instanceof Pkcs11Error && error.result === 'CKR_SESSION_COUNT')
        return new Promise((resolve) => waiting.push(resolve))
      throw error
    }
    return ulongAt(handle, 0)
  }
  return {
    async use<T>(work: (session: number) => Promise<T>): Promise<T> {
      const session = await take()
      try {
        return await work(session)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(session)
        else next(session)
      }
    },
  }
}

async function findObjects(module: Pkcs11Module, session: number, sought: readonly Attribute[]): Promise<number[]> {
  const template = attributes(sought)
  const found: number[] = []
  await module.call('C_FindObjectsInit', session, template, sought.length)
  try {
    for (;;) {
      const handles = Buffer.alloc(32 * ulongs(0).length)
      const count = ulongs(0)
      await module.call('C_FindObjects', session, handles, 32, count)
      for (let at = 0; at < ulongAt(count, 0); at += 1) found.push(ulongAt(handles, at))
      if (ulongAt(count, 0) === 0 || found.length >= mostKeys) return found
    }
  } finally {
    await module.call('C_FindObjectsFinal', session)
  }
}

/** Empty where the object has no such attribute, or does not show it. */
async function readAttribute(module: Pkcs11Module, session: number, handle: number, type: number): Promise<Buffer> {
  const value = Buffer.alloc(4_096)
  const template = attributes([{ type, value }])
  try {
    await module.call('C_GetAttributeValue', session, handle, template, 1)
  } catch (error) {
    if (error instanceof Pkcs11Error && /ATTRIBUTE/.test(error.result)) return Buffer.alloc(0)
    throw error
  }
  const length = attributeLength(template, 0)
  return length <= value.length ? value.subarray(0, length) : Buffer.alloc(0)
}

async function publicParts(module: Pkcs11Module, session: number, handle: number): Promise<PublicParts> {
  const read = async (type: number) => Uint8Array.from(await readAttribute(module, session, handle, type))
  const keyType = ulongAt(Buffer.from(await read(CKA.KEY_TYPE)), 0)
  const empty = new Uint8Array()
  return keyType === CKK.RSA
    ? { keyType, modulus: await read(CKA.MODULUS), exponent: await read(CKA.PUBLIC_EXPONENT), parameters: empty, point: empty }
    : { keyType, modulus: empty, exponent: empty, parameters: await read(CKA.EC_PARAMS), point: await read(CKA.EC_POINT) }
}

/** Key pairs that sign, those whose public half is there: without it nobody could say what they are. */
async function listKeys(module: Pkcs11Module, session: number): Promise<KeySeen[]> {
  const found: KeySeen[] = []
  for (const handle of await findObjects(module, session, [classOf(CKO.PRIVATE_KEY), { type: CKA.SIGN, value: truth(true) }])) {
    const objectId = await readAttribute(module, session, handle, CKA.ID)
    if (objectId.length === 0) continue
    const [publicHandle] = await findObjects(module, session, [classOf(CKO.PUBLIC_KEY), { type: CKA.ID, value: objectId }])
    if (publicHandle === undefined) continue
    const label = (await readAttribute(module, session, handle, CKA.LABEL)).toString('utf8').replace(/\0+$/, '')
    found.push({ ...(await publicParts(module, session, publicHandle)), objectId: Uint8Array.from(objectId), label })
  }
  return found
}

/** Made in the token, and it never leaves it: sensitive and not extractable. */
async function generate(
  module: Pkcs11Module,
  session: number,
  specification: KeySpecification,
  label: string,
  objectId: Buffer,
): Promise<PublicParts> {
  const named: Attribute[] = [
    { type: CKA.TOKEN, value: truth(true) },
    { type: CKA.LABEL, value: Buffer.from(label) },
    { type: CKA.ID, value: objectId },
  ]
  const ofKind: Attribute[] =
    specification.kind === 'rsa'
      ? [
          { type: CKA.MODULUS_BITS, value: ulongs(specification.bits) },
          { type: CKA.PUBLIC_EXPONENT, value: Buffer.of(1, 0, 1) },
        ]
      : [{ type: CKA.EC_PARAMS, value: Buffer.from(specification.parameters) }]
  const publicTemplate: Attribute[] = [...named, { type: CKA.VERIFY, value: truth(true) }, ...ofKind]
  const privateTemplate: Attribute[] = [
    ...named,
    { type: CKA.PRIVATE, value: truth(true) },
    { type: CKA.SENSITIVE, value: truth(true) },
    { type: CKA.EXTRACTABLE, value: truth(false) },
    { type: CKA.SIGN, value: truth(true) },
  ]
  const [publicHandle, privateHandle] = [ulongs(0), ulongs(0)]
  const by = mechanism(specification.mechanism)
  await module.call(
    'C_GenerateKeyPair',
    session,
    by,
    attributes(publicTemplate),
    publicTemplate.length,
    attributes(privateTemplate),
    privateTemplate.length,
    publicHandle,
    privateHandle,
  )
  return publicParts(module, session, ulongAt(publicHandle, 0))
}
