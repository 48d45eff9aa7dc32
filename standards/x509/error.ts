import { DerError, type DerValue } from '../der/reader.ts'

/** Well-formed DER that breaks a rule of X.509, or a request that X.509 cannot express. */
export class X509Error extends DerError {
  constructor(fault: string, at: Pick<DerValue, 'offset' | 'path'> = { offset: 0, path: '' }) {
    super(fault, at.offset, at.path)
    this.name = 'X509Error'
    if (at.path === '' && at.offset === 0) this.message = fault
  }
}
