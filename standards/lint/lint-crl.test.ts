import { describe, expect, test } from 'vitest'
import { buildTbsCertList, type TbsCertListInput } from '../crl/certificate-list.ts'
import { parseCrl } from '../crl/parse.ts'
import { bitString, concat, integer, nullValue, oid, sequence, time } from '../der/writer.ts'
import { encodeName, nameOf } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { lintCrl } from './lint-crl.ts'

const thisUpdate = new Date('2026-01-02T00:00:00Z')
const nextUpdate = new Date('2026-01-09T00:00:00Z')
const day = (text: string) => new Date(`2026-01-${text}T00:00:00Z`)

async function findingsOf(change: Partial<TbsCertListInput>): Promise<string[]> {
  const algorithm = 'ecdsa-with-SHA256'
  const tbs = await buildTbsCertList({
    signatureAlgorithm: algorithm,
    issuer: encodeName(nameOf(['CN', 'Root'])),
    authorityKeyIdentifier: Uint8Array.of(1),
    thisUpdate,
    nextUpdate,
    crlNumber: 5n,
    entries: [],
    ...change,
  })
  return lintCrl(parseCrl(sequence(tbs, sequence(oid(OIDS[algorithm])), bitString(Uint8Array.of(1))))).map(({ code }) => code)
}

/** As no list of ours can be: of version 1, by SHA-1, with these entries. */
function strange(...entries: Uint8Array[]) {
  const algorithm = sequence(oid(OIDS.sha1WithRSAEncryption), nullValue())
  const issuer = encodeName(nameOf(['CN', 'Ro\u202eot']))
  const tbs = sequence(algorithm, issuer, time(nextUpdate), time(thisUpdate), sequence(concat(...entries)))
  return parseCrl(sequence(tbs, algorithm, bitString(Uint8Array.of(1))))
}

describe('a revocation list', () => {
  test('that is well made has no findings', async () => {
    expect(await findingsOf({ entries: [{ serialNumber: Uint8Array.of(7), revocationDate: day('01'), reason: 'superseded' }] })).toEqual([])
  })

  test('is told to hold entries that come twice, too late, or only fit a delta', async () => {
    const one = { serialNumber: Uint8Array.of(7), revocationDate: day('01') }
    expect(await findingsOf({ entries: [one, one] })).toEqual(['e_crl_entry_twice'])
    expect(await findingsOf({ entries: [{ ...one, revocationDate: day('03') }] })).toEqual(['w_crl_entry_after_list'])
    expect(await findingsOf({ entries: [{ ...one, reason: 'removeFromCRL' }] })).toEqual(['e_crl_remove_outside_delta'])
    expect(await findingsOf({ entries: [{ ...one, reason: 'removeFromCRL' }], deltaBase: 4n })).toEqual([])
  })

  test('with a negative serial number is read, and told so', () => {
    const crl = strange(sequence(integer(-5), time(day('01'))), sequence(integer(7), time(day('01'))))
    expect([...crl.entries()].map(({ serialNumber, negative }) => [...serialNumber, negative])).toEqual([
      [0xfb, true],
      [7, false],
    ])
    // The positive number of the same byte is another certificate's.
    expect(crl.find(Uint8Array.of(0xfb))).toBeUndefined()
    expect(crl.find(Uint8Array.of(0xfb), undefined, true)).toBeDefined()
    expect(crl.find(Uint8Array.of(7))).toBeDefined()
    expect(lintCrl(crl).map(({ code }) => code)).toEqual([
      'w_crl_version_1',
      'e_signature_weak',
      'e_name_forbidden_character',
      'e_crl_validity_order',
      'e_crl_serial_number_not_positive',
    ])
  })
})
