import { expect, test } from 'vitest'
import { certificateBlob, writeRegistryPol } from './registry-pol.fixture.ts'
import { certificateOfBlob, PolicyFileError, readInf, readRegistryPol } from './registry-pol.ts'

const file = writeRegistryPol([
  { key: 'Software\\Policies\\Größe', name: 'Text; with ] and [', text: 'Ä' },
  { key: 'Software\\Policies', name: 'AEPolicy', number: 7 },
  { key: 'Store', name: 'Blob', bytes: certificateBlob(new Uint8Array([48, 0]), new Uint8Array(20)) },
])

test('A Registry.pol is read with texts, numbers and bytes, whatever stands in them', () => {
  const [text, number, blob] = readRegistryPol(file)
  expect(text).toEqual({ key: 'Software\\Policies\\Größe', name: 'Text; with ] and [', type: 'text', value: 'Ä' })
  expect(number).toMatchObject({ name: 'AEPolicy', type: 'number', value: 7 })
  expect(certificateOfBlob(blob?.value as Uint8Array)).toEqual(Buffer.from([48, 0]))
  expect(certificateOfBlob(new Uint8Array([32, 0, 0, 0, 1, 0, 0, 0, 255, 0, 0, 0]))).toBeUndefined()
})

test('A file that is cut or changed is refused with the byte, at every length', () => {
  for (let length = 0; length < file.length; length += 1) {
    const cut = file.subarray(0, length)
    if (length === 8 || isWhole(cut)) continue
    expect(() => readRegistryPol(cut)).toThrow(PolicyFileError)
  }
  const changed = Buffer.from(file)
  changed[8] = 0
  expect(() => readRegistryPol(changed)).toThrow('wrong at byte 8')
  expect(() => readRegistryPol(Buffer.from('PK'))).toThrow('no Registry.pol')
})

/** Cut between two entries. */
const isWhole = (bytes: Uint8Array): boolean => bytes.at(-2) === 0x5d && bytes.at(-1) === 0 && bytes.length % 2 === 0

test('Sections and values are read from plain files and from UTF-16', () => {
  const text = '[System Access]\r\nMinimumPasswordLength = 12\r\n; a comment=1\r\n[General]\r\nVersion=65539\r\n'
  const read = [
    { section: 'System Access', name: 'MinimumPasswordLength', value: '12' },
    { section: 'General', name: 'Version', value: '65539' },
  ]
  expect(readInf(Buffer.from(text))).toEqual(read)
  expect(readInf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]))).toEqual(read)
})
