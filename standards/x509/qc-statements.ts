import { elementsOf, fieldsOf, finish, hasMore, take } from '../der/fields.ts'
// Statements of qualified certificates (RFC 3739 3.2.6) with those that ETSI EN 319 412-5 defines; others keep their bytes.
import { TAG, type DerValue } from '../der/reader.ts'
import { isUniversal, readOid, readSmallInteger, readStringOf, type Oid } from '../der/values.ts'
import { ia5String, integer, oid, printableString, sequence } from '../der/writer.ts'
import { OIDS } from './oids.ts'

export type QcStatement =
  | { type: 'qcCompliance' | 'qcSscd' }
  /** ISO 4217, as letters or as its number; the limit is amount * 10^exponent */
  | { type: 'qcLimitValue'; currency: string | number; amount: number; exponent: number }
  /** years after the end of the certificate */
  | { type: 'qcRetentionPeriod'; years: number }
  /** disclosure statements with their ISO 639-1 languages */
  | { type: 'qcPds'; locations: { url: string; language: string }[] }
  /** for signatures, for seals, for web sites */
  | { type: 'qcType'; types: Oid[] }
  /** ISO 3166-1 countries whose law makes the certificate a qualified one */
  | { type: 'qcCcLegislation'; countries: string[] }
  /** `statementInfo` is the DER value */
  | { type: 'unknown'; statementId: Oid; statementInfo?: Uint8Array }

type Known = Exclude<QcStatement['type'], 'unknown'>
const KNOWN = [
  'qcCompliance',
  'qcLimitValue',
  'qcRetentionPeriod',
  'qcSscd',
  'qcPds',
  'qcType',
  'qcCcLegislation',
] as const satisfies readonly Known[]
const TYPE_OF = new Map<Oid, Known>(KNOWN.map((type) => [OIDS[type], type]))

export function parseQcStatements(value: DerValue): QcStatement[] {
  return elementsOf(value, 1).map((element) => {
    const fields = fieldsOf(element)
    const statementId = readOid(take(fields, 'statementId'))
    const type = TYPE_OF.get(statementId)
    const info =
      hasMore(fields) || (type !== undefined && type !== 'qcCompliance' && type !== 'qcSscd') ? take(fields, 'statementInfo') : undefined
    finish(fields)
    if (info === undefined) return type === 'qcCompliance' || type === 'qcSscd' ? { type } : { type: 'unknown', statementId }
    return parseInfo(type, info) ?? { type: 'unknown', statementId, statementInfo: info.encoded }
  })
}

function parseInfo(type: Known | undefined, info: DerValue): QcStatement | undefined {
  switch (type) {
    case 'qcLimitValue': {
      const fields = fieldsOf(info)
      const currency = take(fields, 'currency')
      const amount = take(fields, 'amount')
      const exponent = take(fields, 'exponent')
      finish(fields)
      return {
        type,
        currency: isUniversal(currency, TAG.integer)
          ? readSmallInteger(currency, { min: 1, max: 999 })
          : readStringOf(currency, 'printableString'),
        amount: readSmallInteger(amount),
        exponent: readSmallInteger(exponent, { min: -1000, max: 1000 }),
      }
    }
    case 'qcRetentionPeriod':
      return { type, years: readSmallInteger(info) }
    case 'qcPds':
      return {
        type,
        locations: elementsOf(info, 1).map((element) => {
          const fields = fieldsOf(element)
          const url = readStringOf(take(fields, 'url'), 'ia5String')
          const language = readStringOf(take(fields, 'language'), 'printableString')
          finish(fields)
          return { url, language }
        }),
      }
    case 'qcType':
      return { type, types: elementsOf(info, 1).map(readOid) }
    case 'qcCcLegislation':
      return { type, countries: elementsOf(info, 1).map((element) => readStringOf(element, 'printableString')) }
    default:
      return undefined
  }
}

/** The DER of QCStatements. Throws RangeError for text that its string type cannot hold. */
export function encodeQcStatements(statements: readonly QcStatement[]): Uint8Array {
  return sequence(
    ...statements.map((statement) => {
      const id = oid(statement.type === 'unknown' ? statement.statementId : OIDS[statement.type])
      const info = encodeInfo(statement)
      return info === undefined ? sequence(id) : sequence(id, info)
    }),
  )
}

function encodeInfo(statement: QcStatement): Uint8Array | undefined {
  switch (statement.type) {
    case 'qcCompliance':
    case 'qcSscd':
      return undefined
    case 'qcLimitValue':
      return sequence(
        typeof statement.currency === 'number' ? integer(statement.currency) : printableString(statement.currency),
        integer(statement.amount),
        integer(statement.exponent),
      )
    case 'qcRetentionPeriod':
      return integer(statement.years)
    case 'qcPds':
      return sequence(...statement.locations.map(({ url, language }) => sequence(ia5String(url), printableString(language))))
    case 'qcType':
      return sequence(...statement.types.map(oid))
    case 'qcCcLegislation':
      return sequence(...statement.countries.map(printableString))
    case 'unknown':
      return statement.statementInfo
  }
}
