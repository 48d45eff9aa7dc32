// A PKCS#11 module, called through its function list. The structures of PKCS#11 are laid out here by hand, in buffers: a CK_ULONG has eight
// bytes and structures are aligned, but on Windows it has four and structures are packed. Whatever a module does wrong it does in this process,
// which is not the server's.

import { address, decode, load, proto, view } from 'koffi'
import { platform } from 'node:process'
import { functionOrder, nameOfResult } from './constants.ts'

const packed = platform === 'win32'
const ulongSize = packed ? 4 : 8
const pointerSize = 8

/** A return value other than CKR_OK. */
export class Pkcs11Error extends Error {
  override name = 'Pkcs11Error'
  readonly result: string
  readonly call: string
  constructor(call: string, result: string) {
    super(`${call} answered ${result}`)
    this.call = call
    this.result = result
  }
}

export type FunctionName = (typeof functionOrder)[number]
type Argument = Buffer | bigint | number | null

const signatures: { readonly [name in FunctionName]?: readonly ('ulong' | 'uchar' | 'void *')[] } = {
  C_Initialize: ['void *'],
  C_Finalize: ['void *'],
  C_GetSlotList: ['uchar', 'void *', 'void *'],
  C_GetTokenInfo: ['ulong', 'void *'],
  C_GetMechanismList: ['ulong', 'void *', 'void *'],
  C_GetMechanismInfo: ['ulong', 'ulong', 'void *'],
  C_OpenSession: ['ulong', 'ulong', 'void *', 'void *', 'void *'],
  C_CloseSession: ['ulong'],
  C_Login: ['ulong', 'ulong', 'void *', 'ulong'],
  C_DestroyObject: ['ulong', 'ulong'],
  C_GetAttributeValue: ['ulong', 'ulong', 'void *', 'ulong'],
  C_FindObjectsInit: ['ulong', 'void *', 'ulong'],
  C_FindObjects: ['ulong', 'void *', 'ulong', 'void *'],
  C_FindObjectsFinal: ['ulong'],
  C_SignInit: ['ulong', 'void *', 'ulong'],
  C_Sign: ['ulong', 'void *', 'ulong', 'void *', 'void *'],
  C_GenerateKeyPair: ['ulong', 'void *', 'void *', 'ulong', 'void *', 'ulong', 'void *', 'void *'],
}

type Native = { async(...argsAndDone: unknown[]): void }
export type Pkcs11Module = {
  /** Throws Pkcs11Error unless the module answers CKR_OK. One call at a time in each session. */
  call(name: FunctionName, ...args: Argument[]): Promise<void>
}

/** A library that nobody holds is unloaded when its object is collected, and its functions with it. */
const loaded = new Set<unknown>()

/** Loads the library and finds its functions. Throws what the system says where it cannot be loaded. */
export function loadModule(path: string): Pkcs11Module {
  const library = load(path)
  loaded.add(library)
  const list = Buffer.alloc(pointerSize)
  const result = Number(library.func('C_GetFunctionList', 'ulong', ['void *'])(list))
  if (result !== 0) throw new Pkcs11Error('C_GetFunctionList', nameOfResult(result))
  // The list begins with its version, two bytes.
  const first = packed ? 2 : pointerSize
  const table = Buffer.from(view(list.readBigUInt64LE(), first + functionOrder.length * pointerSize))
  const natives = new Map<string, Native>()
  for (const [at, name] of functionOrder.entries()) {
    const parameters = signatures[name]
    if (parameters !== undefined)
      natives.set(name, decode(table.readBigUInt64LE(first + at * pointerSize), proto('ulong', [...parameters])))
  }
  return {
    call(name, ...args) {
      const native = natives.get(name)
      if (native === undefined) throw new Error(`${name} is not bound`)
      return new Promise((resolve, reject) =>
        native.async(...args, (error: unknown, answered: number | bigint) => {
          // The arguments are named here so that they live as long as the call.
          if (error) return reject(error instanceof Error ? error : new Error(`${name} with ${args.length} arguments failed`))
          return Number(answered) === 0 ? resolve() : reject(new Pkcs11Error(name, nameOfResult(Number(answered))))
        }),
      )
    },
  }
}

/** CK_ULONG values, one after another. */
export function ulongs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * ulongSize)
  for (const [at, value] of values.entries()) writeUlong(bytes, at * ulongSize, value)
  return bytes
}

const writeUlong = (bytes: Buffer, at: number, value: number) =>
  packed ? bytes.writeUInt32LE(value, at) : bytes.writeBigUInt64LE(BigInt(value), at)

/** The CK_ULONG at this place among CK_ULONGs. Handles above 2^53 do not occur; a length of "not available" reads as a number beyond any length. */
export const ulongAt = (bytes: Buffer, place: number, from = 0): number =>
  packed ? bytes.readUInt32LE(from + place * ulongSize) : Number(bytes.readBigUInt64LE(from + place * ulongSize))

type Field = { ulong: number } | { pointer: Buffer | undefined }

/** What a structure points to lives as long as the structure does. */
const pointedTo = new WeakMap<Buffer, readonly unknown[]>()

/** A structure of CK_ULONGs and pointers. */
function structure(...fields: Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((size, field) => size + ('ulong' in field ? ulongSize : pointerSize), 0))
  let at = 0
  for (const field of fields) {
    if ('ulong' in field) {
      writeUlong(bytes, at, field.ulong)
      at += ulongSize
    } else {
      bytes.writeBigUInt64LE(field.pointer === undefined || field.pointer.length === 0 ? 0n : address(field.pointer), at)
      at += pointerSize
    }
  }
  pointedTo.set(bytes, fields)
  return bytes
}

export const initializeArguments = (flags: number): Buffer =>
  structure(
    { pointer: undefined },
    { pointer: undefined },
    { pointer: undefined },
    { pointer: undefined },
    { ulong: flags },
    { pointer: undefined },
  )

/** The length of CK_TOKEN_INFO, and what is read of it. */
const textsEnd = 32 + 32 + 16 + 16
export const tokenInfoSize = textsEnd + 11 * ulongSize + 2 + 2 + 16 + (packed ? 0 : 4)
export function readTokenInfo(bytes: Buffer) {
  const text = (from: number, to: number) => bytes.toString('utf8', from, to).replace(/[\0 ]+$/, '')
  return { label: text(0, 32), manufacturer: text(32, 64), model: text(64, 80), serial: text(80, 96), flags: ulongAt(bytes, 0, textsEnd) }
}

/** CK_MECHANISM. */
export const mechanism = (type: number, parameter?: Buffer): Buffer =>
  structure({ ulong: type }, { pointer: parameter }, { ulong: parameter?.length ?? 0 })

export type Attribute = { type: number; value: Buffer }

/** An array of CK_ATTRIBUTE; lengths are read back from it after C_GetAttributeValue. */
export function attributes(all: readonly Attribute[]): Buffer {
  const bytes = Buffer.concat(all.map(({ type, value }) => structure({ ulong: type }, { pointer: value }, { ulong: value.length })))
  pointedTo.set(bytes, all)
  return bytes
}

const attributeSize = ulongSize + pointerSize + ulongSize
export const attributeLength = (bytes: Buffer, place: number): number => ulongAt(bytes, 0, place * attributeSize + ulongSize + pointerSize)

export const truth = (value: boolean): Buffer => Buffer.of(value ? 1 : 0)
