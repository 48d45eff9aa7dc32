// The card manager of a virtual card: keys diversified from the test key that cards leave the factory with, packages and applets as names only.

import { createDecipheriv, createCipheriv, randomBytes } from 'node:crypto'
import { cmac, isSame, managerKeysOf, sessionOf } from './scp03.ts'

export type ManagerState = { packages: string[]; applets: string[] }
type Handled = { cla: number; ins: number; p1: number; p2: number; data: Uint8Array }
type Answer = { data: Uint8Array; sw: number }

/** GlobalPlatform's test key, which everybody knows. */
export const factoryMaster = Buffer.from('404142434445464748494a4b4c4d4e4f', 'hex')
const keyVersion = 0x30
const refuse = (sw: number): Answer => ({ data: new Uint8Array(), sw })
const done = refuse(0x9000)

export const diversificationOf = (serial: number): Buffer => {
  const bytes = Buffer.alloc(10)
  bytes.writeUInt32BE(serial, 6)
  return bytes
}

const parts = (data: Uint8Array): string[] => {
  const all: string[] = []
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    all.push(Buffer.from(data.subarray(at + 1, at + 1 + (data[at] ?? 0))).toString('hex'))
  return all
}

export function openVirtualManager(serial: number, state: () => ManagerState, changed: () => void) {
  const keys = managerKeysOf(factoryMaster, diversificationOf(serial))
  let open: ReturnType<typeof sessionOf> | undefined
  let isProved = false
  let chaining: Uint8Array = Buffer.alloc(16)
  let counter = 0
  let loading = ''

  function unwrapped({ cla, ins, p1, p2, data }: Handled): Buffer | undefined {
    if (open === undefined || data.length < 8) return undefined
    const body = data.subarray(0, -8)
    const mac = cmac(open.session.mac, Buffer.concat([chaining, Buffer.from([cla, ins, p1, p2, data.length]), body]))
    if (!isSame(mac.subarray(0, 8), data.subarray(-8))) return undefined
    chaining = mac
    if (!isProved || body.length === 0) return Buffer.from(body)
    counter += 1
    const number = Buffer.alloc(16)
    number.writeUInt32BE(counter, 12)
    const cipher = createCipheriv('aes-128-ecb', open.session.enc, null).setAutoPadding(false)
    const iv = Buffer.concat([cipher.update(number), cipher.final()])
    const decipher = createDecipheriv('aes-128-cbc', open.session.enc, iv).setAutoPadding(false)
    const plain = Buffer.concat([decipher.update(body), decipher.final()])
    return plain.subarray(0, plain.lastIndexOf(0x80))
  }

  return {
    forget() {
      open = undefined
      isProved = false
    },
    answer(command: Handled): Answer {
      if (command.ins === 0x50) {
        if (command.p1 !== 0 && command.p1 !== keyVersion) return refuse(0x6a88)
        const challenge = randomBytes(8)
        open = sessionOf(keys, command.data, challenge)
        isProved = false
        chaining = Buffer.alloc(16)
        counter = 0
        const head = Buffer.concat([diversificationOf(serial), Buffer.from([keyVersion, 3, 0])])
        return { data: Buffer.concat([head, challenge, open.cardCryptogram]), sw: 0x9000 }
      }
      const data = unwrapped(command)
      if (data === undefined || open === undefined) return refuse(0x6982)
      if (command.ins === 0x82) {
        isProved = isSame(data, open.hostCryptogram)
        return isProved ? done : refuse(0x6300)
      }
      if (!isProved) return refuse(0x6982)
      const [first = '', applet = ''] = parts(data)
      const { packages, applets } = state()
      if (command.ins === 0xe6 && command.p1 === 0x02) {
        if (packages.includes(first)) return refuse(0x6985)
        loading = first
        return done
      }
      if (command.ins === 0xe8) {
        if (loading === '') return refuse(0x6985)
        if (command.p1 === 0x80) {
          packages.push(loading)
          loading = ''
          changed()
        }
        return done
      }
      if (command.ins === 0xe6 && command.p1 === 0x0c) {
        if (!packages.includes(first) || applets.includes(applet)) return refuse(0x6985)
        applets.push(applet)
        changed()
        return done
      }
      return refuse(0x6d00)
    },
  }
}
