import { ProtocolPage } from './ProtocolPage.tsx'

export const EstPage = () => <ProtocolPage protocol="est" />
