// Whose cards a tenancy believes.

import { requireFreshProof } from '#areas/sessions/proof.ts'
import type { Handlers } from '#core/server/serve.ts'
import { DerError } from '#standards/der/reader.ts'
import { PemError } from '#standards/pem/pem.ts'
import { certificatesIn, shippedAttestation } from '#standards/piv/attestation.ts'
import type { Certificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import { formatName } from '#standards/x509/names.ts'
import type { smartcards } from '../contract.ts'
import { findAttestation, putAttestation } from './attestation-store.ts'

const nameOf = ({ subject }: Certificate): string => formatName(subject)
const isAuthority = ({ extensions }: Certificate): boolean => extensions.some((one) => one.type === 'basicConstraints' && one.cA)

/** The certificates, or why there are none. */
function readRoots(text: string): Certificate[] | string {
  if (text.trim() === '') return []
  try {
    const found = certificatesIn(text)
    if (found.length === 0) return 'there is no certificate in it'
    const odd = found.find((one) => !isAuthority(one))
    return odd === undefined ? found : `${nameOf(odd)} is no authority`
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError || error instanceof X509Error) return error.message
    throw error
  }
}

export const attestationHandlers: Pick<Handlers<typeof smartcards>, 'attestation' | 'changeAttestation'> = {
  async attestation(_input, { tenancy }) {
    const found = await findAttestation(tenancy)
    return {
      shipped: shippedAttestation().roots.map(nameOf),
      roots: found?.roots ?? '',
      acceptsVirtual: found?.accepts_virtual ?? false,
    }
  },

  async changeAttestation({ roots, acceptsVirtual }, { house, tenancy, viewer, emit, fault }) {
    await requireFreshProof(house, tenancy.db, viewer, tenancy.now)
    const read = readRoots(roots)
    if (typeof read === 'string') return fault('notRoots', { params: { reason: read } })
    await putAttestation(tenancy, { roots, accepts_virtual: acceptsVirtual })
    emit('attestationChanged', { roots: read.map(nameOf), virtual: acceptsVirtual })
    return {}
  },
}
