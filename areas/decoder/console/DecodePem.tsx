import { useState } from 'react'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { t } from '#core/console/text.ts'
import { CompareTab, type CompareDraft } from './CompareTab.tsx'
import { DecodeTab, type DecodeDraft } from './DecodeTab.tsx'
import { VerifyTab, type VerifyDraft } from './VerifyTab.tsx'

export function DecodePem() {
  const [toDecode, setToDecode] = useState<DecodeDraft>({ text: '', rules: '', password: '' })
  const [toVerify, setToVerify] = useState<VerifyDraft>()
  const [toCompare, setToCompare] = useState<CompareDraft>({ one: '', other: '' })
  return (
    <DetailPage
      title={t('Decoder')}
      intro={t(
        'Shows what is inside certificates, requests, revocation lists, OCSP messages, PKCS#7 and PKCS#12 files, and whether a certificate is valid. Nothing that you paste is kept.',
      )}
      tabs={[
        { key: 'decode', label: t('Decode'), content: () => <DecodeTab draft={toDecode} onDraft={setToDecode} /> },
        { key: 'verify', label: t('Verify'), content: () => <VerifyTab draft={toVerify} onDraft={setToVerify} /> },
        { key: 'compare', label: t('Compare'), content: () => <CompareTab draft={toCompare} onDraft={setToCompare} /> },
      ]}
    />
  )
}
