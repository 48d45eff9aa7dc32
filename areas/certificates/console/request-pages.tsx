// One page to ask with four addresses, which its tabs lead to: one's own certificates through self-service, and those of others by who enrols them.

import { t } from '#core/console/text.ts'
import { RequestPage } from './RequestPage.tsx'

export const OwnRequest = () => <RequestPage intro={t('It carries the names in your own record.')} entity="user" call="request" />

export const OwnDevice = () => (
  <RequestPage
    intro={t('A computer, phone or server that you look after. You hold its certificate and renew it.')}
    entity="device"
    call="request"
  />
)

export const ForUser = () => (
  <RequestPage
    intro={t('You enrol somebody else: the certificate carries the names in that person’s record.')}
    entity="user"
    call="requestForUser"
  />
)

export const ForDevice = () => (
  <RequestPage
    intro={t('You enrol servers, services or machines for others, with every template for devices.')}
    entity="device"
    call="requestForDevice"
  />
)
