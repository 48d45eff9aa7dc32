import { describe, expect, test } from 'vitest'
import { readPastedName } from './pasted-name.ts'

const read = (text: string) => readPastedName(text).attributes.map(({ keyword, value }) => `${keyword}=${value}`)

describe('A pasted name', () => {
  test.each([
    ['of RFC 4514', 'CN=Mei Zhao,O=City of Northbridge,C=NZ', ['CN=Mei Zhao', 'O=City of Northbridge', 'C=NZ']],
    ['of OpenSSL 3', 'subject=C = NZ, O = City of Northbridge, CN = Mei Zhao', ['C=NZ', 'O=City of Northbridge', 'CN=Mei Zhao']],
    ['of OpenSSL before 1.1', 'subject= /C=NZ/O=City of Northbridge/CN=Mei Zhao', ['C=NZ', 'O=City of Northbridge', 'CN=Mei Zhao']],
    ['by lines', 'CN = Mei Zhao\r\nO = City of Northbridge\r\n', ['CN=Mei Zhao', 'O=City of Northbridge']],
    ['with a quoted comma', 'CN=web, O="Zhao, Sons + Co", C=NZ', ['CN=web', 'O=Zhao, Sons + Co', 'C=NZ']],
    ['with an escaped one', 'CN=web,O=Zhao\\, Sons,C=NZ', ['CN=web', 'O=Zhao, Sons', 'C=NZ']],
    ['with a comma that nobody escaped', 'O=Zhao, Sons, C=NZ', ['O=Zhao, Sons', 'C=NZ']],
    ['with escaped bytes', 'O=Stra\\C3\\9Fe', ['O=Straße']],
    ['with a byte that no text holds', 'O=Zha\\00o,C=NZ', ['O=Zha o', 'C=NZ']],
    ['of several attributes at one place', 'CN=web+serialNumber=12', ['CN=web', 'serialNumber=12']],
    ['with other words for them', 'E=a@b.example,S=Utrecht,2.5.4.10=Acme', ['emailAddress=a@b.example', 'ST=Utrecht', 'O=Acme']],
    ['that is still typed', 'cn=', ['CN=']],
  ])('%s is read', (_of, text, attributes) => {
    expect(read(text)).toEqual(attributes)
  })

  test.each(['Mei Zhao', 'SHA1 Fingerprint=AA:BB', 'https://shop.example/?q=1', 'a = b', ''])('is not seen in %j', (text) => {
    expect(readPastedName(text)).toEqual({ attributes: [], rest: text })
  })

  test('leaves what stands before it', () => {
    expect(readPastedName('expired O=Acme')).toEqual({ attributes: [{ keyword: 'O', value: 'Acme' }], rest: 'expired' })
  })
})
