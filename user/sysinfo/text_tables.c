// SPDX-License-Identifier: BSD-2-Clause
/* Which parser reads which file of cmd/. */
#include "sysinfo/text.h"

const struct rct_text_if rct_texts_if[] = {
	{ "ethtool-S", rct_text_ethtool_stats },
	{ "ethtool-i", rct_text_ethtool_driver },
	{ "ethtool-a", rct_text_ethtool_pause },
	{ "ethtool-k", rct_text_ethtool_features },
	{ "ethtool-l", rct_text_ethtool_channels },
	{ "dcb-pfc", rct_text_dcb_pfc },
	{ "dcb-app", rct_text_dcb_app },
	{ "dcb-apptrust", rct_text_dcb_apptrust },
	{ "dcb-ets", rct_text_dcb_ets },
	{ "dcb-buffer", rct_text_dcb_buffer },
	{ "mlnx_qos", rct_text_mlnx_qos },
	{ NULL, NULL },
};

const struct rct_text_host rct_texts_host[] = {
	{ "rdma-link.txt", rct_text_rdma_link },
	{ "ibv_devinfo.txt", rct_text_ibv_devinfo },
	{ "rdma-res-qp.txt", rct_text_rdma_res_qp },
	{ "show_gids.txt", rct_text_show_gids },
	{ "ip-addr.txt", rct_text_ip_addr },
	{ "ip-rule.txt", rct_text_ip_rule },
	{ "ip-route.txt", rct_text_ip_route },
	{ "ip-neigh.txt", rct_text_ip_neigh },
	{ "numactl-H.txt", rct_text_numactl },
	{ "lspci-vv.txt", rct_text_lspci },
	{ "nvidia-smi-topo-m.txt", rct_text_topo },
	{ "dmesg.txt", rct_text_dmesg },
	{ "nccl.log", rct_text_nccl },
	{ NULL, NULL },
};
