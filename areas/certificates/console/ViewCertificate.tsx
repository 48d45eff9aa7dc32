// One certificate: what it is, whether it is good, who uses it, what happens next, its chain, what was done with it, and its bytes.

import { Text } from '@mantine/core'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { certificateActions } from '../certificate-actions.ts'
import { certificates } from '../contract.ts'
import { CertificateActivity } from './CertificateActivity.tsx'
import { CertificateChain } from './CertificateChain.tsx'
import { CertificateOverview } from './CertificateOverview.tsx'
import { CertificateRaw } from './CertificateRaw.tsx'
import { CertificateState } from './CertificateState.tsx'
import { decodedFile, fileStem } from './decoded-file.ts'

export function ViewCertificate() {
  const { certId = '', caId } = useParams()
  const query = useCall(certificates.calls.info, { certId, ...(caId === undefined ? {} : { caId }) })
  if (query.data === undefined)
    return (
      <Page title={t('Certificate')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const info = query.data
  const { certificateId, caId: issuerId, serialNumber, status, revocationReason } = info.certificate
  return (
    <DetailPage
      title={info.cn}
      status={<CertificateState certificate={info.certificate} />}
      intro={<Text span inherit lineClamp={3}>{info.dn}</Text>}
      buttons={
        <>
          <DownloadButton label={t('Download certificate')} fileName={`${fileStem(info.cn)}.pem`} from={async () => decodedFile(await send(certificates.calls.download, { certId: certificateId, format: 'pem' }))} />
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
