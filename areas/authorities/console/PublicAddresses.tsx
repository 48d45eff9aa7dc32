import { Anchor } from '@mantine/core'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { AuthorityView } from '../contract.ts'

export function PublicAddresses({ authority }: { authority: AuthorityView }) {
  const { crl, ocsp, caIssuers } = authority.addresses
  return (
    <Section
      title={t('Addresses in what it issues')}
      intro={
        authority.kind === 'offline'
          ? t(
              'Relying parties come here without signing in. Put these addresses into what this authority signs where its key is: Chancery signs nothing for it.',
            )
          : t(
              'Relying parties come here without signing in. The addresses are written into every certificate of this authority and cannot change.',
            )
      }
    >
      <Facts
        items={[
          { label: t('Revocation list (CRL)'), value: <Address of={crl} />, copy: crl },
          // Nobody here can answer for a key that is elsewhere.
          authority.kind !== 'offline' && { label: t('Status by OCSP'), value: ocsp, copy: ocsp },
          { label: t('Certificate of the authority'), value: <Address of={caIssuers} />, copy: caIssuers },
        ]}
      />
    </Section>
  )
}

const Address = ({ of }: { of: string }) => (
  <Anchor href={of} style={{ overflowWrap: 'anywhere' }}>
    {of}
  </Anchor>
)
