/** Why a request of the computer was denied, by the name of the rule; in English the receipt says it. */
export const zhHansDenied: Readonly<Record<string, string>> = {
  default: "没有规则允许它",
  venue: "交易所只能在批准之后由 Berth 访问，电脑只能读取行情",
  local: "本机和内部网络的名称不开放",
  names_of_addresses: "可以指向任意地址的名称不开放",
  platform: "存放 Berth 和他人部署数据的主机不开放",
  chain: "区块链节点不开放",
  malformed: "地址写法不对",
  address: "直接写 IP 地址的请求不开放",
  ambiguous_path: "路径可以有多种读法",
  upgrade: "连接不能改换协议",
  body_too_slow: "内容发送得太慢",
  body_too_large: "内容超过这条规则的上限",
  not_a_read: "内容不是只读的查询",
};
