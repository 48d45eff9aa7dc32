// One certificate: what it is, whether it is good, who uses it, what happens next, its chain, what was done with it, and its bytes.

import { Text } from '@mantine/core'
import { Suspense, useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import type { AddressParams } from '#core/console/show.ts'
import { t } from '#core/console/text.ts'
import { certificateActions } from '../certificate-actions.ts'
import { certificateParts } from '../certificate-parts.ts'
import { certificates } from '../contract.ts'
import { plainSubject } from '../plain-subject.ts'
import { readReference } from '../rules.ts'
import { CertificateActivity } from './CertificateActivity.tsx'
import { CertificateChain } from './CertificateChain.tsx'
import { CertificateOverview } from './CertificateOverview.tsx'
import { CertificateRaw } from './CertificateRaw.tsx'
import { CertificateState } from './CertificateState.tsx'
import { decodedFile, fileStem } from './decoded-file.ts'

export function ViewCertificate() {
  const { certId = '', caId } = useParams()
  const query = useCall(certificates.calls.info, referenceOf(certId, caId))
  const whole = useSlots(query.data?.certificate.certificateId)
  if (query.data === undefined || !whole)
    return (
      <Page title={t('Certificate')}>
        <Loaded query={query}>{() => <LoadingState />}</Loaded>
      </Page>
    )
  const info = query.data
  const { certificateId, caId: issuerId, serialNumber, status, revocationReason } = info.certificate
  return (
    <DetailPage
      title={info.cn}
      status={<CertificateState certificate={info.certificate} />}
      {...(plainSubject(info.dn) === info.cn
        ? {}
        : {
            intro: (
              <Text span inherit lineClamp={3}>
                {info.dn}
              </Text>
            ),
          })}
      buttons={
        <>
          <DownloadButton
            label={t('Download certificate')}
            fileName={`${fileStem(info.cn)}.pem`}
            from={async () => decodedFile(await send(certificates.calls.download, { certId: certificateId, format: 'pem' }))}
          />
          <Suspense>
            {certificateActions().map(({ key, load: Action }) => (
              <Action key={key} certificate={{ certificateId, caId: issuerId, serialNumber, status, revocationReason }} />
            ))}
          </Suspense>
        </>
      }
      tabs={[
        { key: 'overview', label: t('Overview'), content: () => <CertificateOverview info={info} /> },
        { key: 'chain', label: t('Chain and files'), content: () => <CertificateChain info={info} /> },
        { key: 'activity', label: t('Activity'), content: () => <CertificateActivity info={info} /> },
        { key: 'raw', label: t('Raw'), content: () => <CertificateRaw info={info} /> },
      ]}
    />
  )
}

ViewCertificate.ask = async (_address: URLSearchParams, { certId = '', caId }: AddressParams) => {
  const read = readReference({ certId, caId })
  await Promise.all([
    askOnce(certificates.calls.info, referenceOf(certId, caId)),
    read !== undefined && 'id' in read && askForSlots(read.id),
  ])
}

const referenceOf = (certId: string, caId: string | undefined) => ({ certId, ...(caId === undefined ? {} : { caId }) })

/** What the rooms above will read for their buttons and sections. */
const askForSlots = (certificateId: string): Promise<unknown> =>
  Promise.all([...certificateActions(), ...certificateParts()].map(async ({ load }) => (await load.preload())?.ask?.(certificateId)))

/** So long the page waits for them once the certificate is here. */
const patienceMilliseconds = 1_000

/** True once they are here, so that the page is drawn whole, and no button moves when somebody is about to press it; also where they take too long. */
function useSlots(certificateId: string | undefined): boolean {
  const [ready, setReady] = useState<string>()
  useEffect(() => {
    if (certificateId === undefined) return
    const go = () => setReady(certificateId)
    const timer = setTimeout(go, patienceMilliseconds)
    void askForSlots(certificateId).then(go, go)
    return () => clearTimeout(timer)
  }, [certificateId])
  return ready !== undefined && ready === certificateId
}
